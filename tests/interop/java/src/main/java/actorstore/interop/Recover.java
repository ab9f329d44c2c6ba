package actorstore.interop;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Measures how long RocketMQ takes to open a store as it stands: load, start,
 * and dispatch to the end, until queues and index hold what the log holds. The
 * time of the virtual machine itself does not count.
 */
final class Recover {
    private Recover() {
    }

    static void run(Flags flags, PrintStream out) throws Exception {
        String dir = flags.word("DIR");
        int queues = flags.count("queues", 8, 1);
        boolean shutdown = flags.on("shutdown");
        Engine engine = Engine.open(dir, flags);
        engine.awaitDispatch();
        long took = System.nanoTime() - engine.began;
        long[] ends = new long[queues];
        for (int q = 0; q < queues; q++) {
            ends[q] = engine.store.getMaxOffsetInQueue(Bench.TOPIC, q);
        }
        out.println(new Lines().real("ms", took / 1e6).real("load_ms", engine.loadTook / 1e6)
            .number("max_phy_offset", engine.store.getMaxPhyOffset())
            .text("ends", Arrays.stream(ends).mapToObj(Long::toString).collect(Collectors.joining(" ")))
            .line());
        if (shutdown) {
            engine.shutdown();
        }
    }
}
