package actorstore.interop;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Runs RocketMQ's store from the command line. Results go to standard output
 * as JSON lines, complaints and the engine's log to standard error. Exit
 * status: 0, 1 when something failed, 2 for a mistake on the command line.
 */
public final class Main {
    private static final String USAGE = """
        usage:
          export DIR [--ask -]           everything RocketMQ reads; with --ask - then the
                                         answers to questions from standard input:
                                         query<TAB>TOPIC<TAB>KEY or time<TAB>TOPIC<TAB>QUEUE<TAB>MS
          query DIR TOPIC KEY...         physical offsets of each key
          times DIR [TOPIC QUEUE MS...]  offsets by time; without words, from standard
                                         input: TOPIC<TAB>QUEUE<TAB>MS
          write DIR --count N [--from I] [--seed S] [--long-topic LENGTH] [--halt]
          bench DIR --producers N --window N --size N --count N --queues N
                    [--warmup N] [--readers N] [--bodies N] [--seed S] [--keyed]
          recover DIR [--queues N]       how long opening what bench or a kill has left takes
        settings of the store, RocketMQ's defaults without them:
          --segment BYTES --queue-file BYTES --slots N --entries N
          --append-crc --lmq --ext --flush async|sync --batch-topic TOPIC
        export, query, times and recover work on a copy: they start the engine, which
        recovers and writes. They stop without shutting it down unless --shutdown.""";

    private Main() {
    }

    public static void main(String[] args) {
        PrintStream out = new PrintStream(new BufferedOutputStream(
            new FileOutputStream(FileDescriptor.out), 1 << 16), false, StandardCharsets.UTF_8);
        System.setOut(System.err); // whatever a library prints must not mix with results
        int status = 0;
        try {
            run(args, out);
        } catch (Flags.UsageException e) {
            System.err.println(e.getMessage() + "\n" + USAGE);
            status = 2;
        } catch (Throwable e) {
            e.printStackTrace();
            status = 1;
        }
        out.flush();
        // RocketMQ leaves threads behind, some of them also after shutdown.
        Runtime.getRuntime().halt(status);
    }

    private static void run(String[] args, PrintStream out) throws Exception {
        if (args.length == 0) {
            throw new Flags.UsageException("no command");
        }
        Flags flags = new Flags(Arrays.asList(args).subList(1, args.length));
        switch (args[0]) {
            case "export", "query", "times" -> read(args[0], flags, out);
            case "write" -> Write.run(flags, out);
            case "bench" -> Bench.run(flags, out);
            case "recover" -> Recover.run(flags, out);
            default -> throw new Flags.UsageException("no such command: " + args[0]);
        }
    }

    private static void read(String command, Flags flags, PrintStream out) throws Exception {
        String dir = flags.word("DIR");
        boolean shutdown = flags.on("shutdown");
        boolean ask = flags.text("ask", "").equals("-");
        List<String> words = flags.rest();
        Engine engine = Engine.open(dir, flags);
        engine.awaitDispatch();
        Export export = new Export(engine, out);
        switch (command) {
            case "export" -> {
                export.all();
                if (ask) {
                    input(export, "");
                }
            }
            case "query" -> words.stream().skip(1).forEach(key -> export.query(words.get(0), key));
            default -> {
                if (words.isEmpty()) {
                    input(export, "time\t");
                }
                words.stream().skip(2).forEach(ms -> export.time(words.get(0),
                    Integer.parseInt(words.get(1)), Long.parseLong(ms)));
            }
        }
        if (shutdown) {
            engine.shutdown();
        }
    }

    private static void input(Export export, String kind) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isEmpty()) {
                export.ask(kind + line);
            }
        }
    }
}
