package actorstore.interop;

import java.io.File;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.apache.rocketmq.store.config.FlushDiskType;

/**
 * Measures puts, dispatch and reads of RocketMQ's store. What no flag names
 * is RocketMQ's default. A warm-up of the same shape runs first, in the same
 * store and on the same topic, and none of it is counted.
 */
final class Bench {
    static final String TOPIC = "bench";

    /** What to run. The bodies are made before any clock starts and shared by all producers. */
    record Load(int producers, int window, int size, int count, int queues, int warmup,
                int readers, int bodies, long seed, boolean keyed) {
        static Load of(Flags flags) {
            int count = flags.count("count", 200_000, 1);
            return new Load(flags.count("producers", 1, 1), flags.count("window", 1, 1),
                flags.count("size", 1024, 0), count, flags.count("queues", 8, 1),
                flags.count("warmup", Math.min(count, 100_000), 0), flags.count("readers", 1, 1),
                flags.count("bodies", 1024, 1), flags.number("seed", 1), flags.on("keyed"));
        }
    }

    /** Nanoseconds of one run of all producers. */
    private record Puts(long answered, long built, long[] latencies) {
    }

    private final Engine engine;
    private final Load load;
    private final byte[][] bodies;

    private Bench(Engine engine, Load load) {
        this.engine = engine;
        this.load = load;
        this.bodies = new byte[load.bodies()][];
        Random random = new Random(load.seed());
        for (int i = 0; i < bodies.length; i++) {
            bodies[i] = Messages.bytes(random, load.size());
        }
    }

    static void run(Flags flags, PrintStream out) throws Exception {
        String dir = flags.word("DIR");
        String[] found = new File(dir, "commitlog").list();
        if (found != null && found.length > 0) {
            throw new Flags.UsageException(dir + " holds a store; bench wants an empty directory");
        }
        Load load = Load.of(flags);
        Bench bench = new Bench(Engine.open(dir, flags), load);
        if (load.warmup() > 0) {
            bench.put(load.warmup(), 0);
            bench.get(new long[load.queues()]);
        }
        long[] begin = bench.ends();
        Puts puts = bench.put(load.count(), load.warmup());
        long reading = bench.get(begin);
        out.println(bench.line(puts, reading));
    }

    /** Puts {@code count} messages and waits until all queues hold them, too. */
    private Puts put(int count, int before) throws Exception {
        List<long[]> latencies = new ArrayList<>();
        List<Callable<Void>> work = new ArrayList<>();
        for (int p = 0; p < load.producers(); p++) {
            int share = count / load.producers() + (p < count % load.producers() ? 1 : 0);
            long[] mine = new long[share];
            latencies.add(mine);
            work.add(new Producer(engine.store, load, bodies, p, mine));
        }
        long start = System.nanoTime();
        together(work);
        long answered = System.nanoTime() - start;
        engine.awaitDispatch();
        while (Arrays.stream(ends()).sum() < (long) before + count) {
            LockSupport.parkNanos(200_000);
        }
        long built = System.nanoTime() - start;
        return new Puts(answered, built, latencies.stream().flatMapToLong(Arrays::stream).sorted().toArray());
    }

    /** Reads every queue from {@code begin} to its end; returns the nanoseconds it took. */
    private long get(long[] begin) throws Exception {
        long[] end = ends();
        List<Callable<Long>> work = new ArrayList<>();
        for (int r = 0; r < load.readers(); r++) {
            work.add(new Consumer(engine.store, begin, end, r, load.readers()));
        }
        long start = System.nanoTime();
        long read = together(work).stream().mapToLong(Long::longValue).sum();
        long took = System.nanoTime() - start;
        long want = Arrays.stream(end).sum() - Arrays.stream(begin).sum();
        if (read != want) {
            throw new IllegalStateException("read " + read + " messages of " + want);
        }
        return took;
    }

    private long[] ends() throws Exception {
        long[] ends = new long[load.queues()];
        for (int q = 0; q < ends.length; q++) {
            ends[q] = engine.store.getMaxOffsetInQueue(TOPIC, q);
        }
        return ends;
    }

    private static <T> List<T> together(List<? extends Callable<T>> work) throws Exception {
        List<FutureTask<T>> tasks = new ArrayList<>();
        for (Callable<T> one : work) {
            tasks.add(new FutureTask<>(one));
        }
        tasks.forEach(task -> new Thread(task, "bench").start());
        List<T> results = new ArrayList<>();
        for (FutureTask<T> task : tasks) {
            results.add(task.get());
        }
        return results;
    }

    private String line(Puts puts, long reading) {
        boolean sync = engine.store.getMessageStoreConfig().getFlushDiskType() == FlushDiskType.SYNC_FLUSH;
        long[] sorted = puts.latencies();
        return new Lines()
            .real("put_per_s", load.count() * 1e9 / puts.built())
            .real("ack_per_s", load.count() * 1e9 / puts.answered())
            .real("p50_us", rank(sorted, 0.50) / 1e3)
            .real("p99_us", rank(sorted, 0.99) / 1e3)
            .real("p999_us", rank(sorted, 0.999) / 1e3)
            .real("max_us", rank(sorted, 1) / 1e3)
            .real("mean_us", Arrays.stream(sorted).average().orElse(0) / 1e3)
            .real("get_per_s", load.count() * 1e9 / reading)
            .number("producers", load.producers()).number("window", load.window())
            .number("size", load.size()).number("count", load.count())
            .number("queues", load.queues()).text("flush", sync ? "sync" : "async")
            .number("warmup", load.warmup()).number("readers", load.readers())
            .number("bodies", load.bodies()).number("seed", load.seed())
            .flag("keyed", load.keyed()).line();
    }

    /** The smallest value that at least this share of all values does not exceed. */
    private static long rank(long[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }
}
