package actorstore.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.config.FlushDiskType;
import org.apache.rocketmq.store.config.MessageStoreConfig;
import org.apache.rocketmq.store.stats.BrokerStatsManager;
import org.rocksdb.NativeLibraryLoader;

/**
 * RocketMQ's DefaultMessageStore over one directory, without a broker: no
 * hooks, no timer, no long polling. What no flag names keeps RocketMQ's
 * default.
 */
final class Engine {
    final DefaultMessageStore store;
    /** The topic whose queues hold inner batches, null if there is none. */
    final String batchTopic;
    /** When loading began, as System.nanoTime() gives it. */
    final long began;
    /** Nanoseconds that load() took, which is where RocketMQ recovers. */
    final long loadTook;

    private Engine(DefaultMessageStore store, String batchTopic, long began, long loadTook) {
        this.store = store;
        this.batchTopic = batchTopic;
        this.began = began;
        this.loadTook = loadTook;
    }

    /** Loads, recovers and starts the store. Takes its settings from the flags. */
    static Engine open(String dir, Flags flags) throws Exception {
        MessageStoreConfig config = settings(dir, flags);
        String batchTopic = flags.text("batch-topic", null);
        flags.done();
        loadNative();

        BrokerConfig broker = new BrokerConfig();
        ConcurrentMap<String, TopicConfig> topics = new ConcurrentHashMap<>();
        if (batchTopic != null) {
            TopicConfig topic = new TopicConfig(batchTopic);
            topic.setAttributes(new HashMap<>(Map.of("queue.type", "BatchCQ")));
            topics.put(batchTopic, topic);
        }
        DefaultMessageStore store = new DefaultMessageStore(config,
            new BrokerStatsManager(broker), null, broker, topics);
        long began = System.nanoTime();
        if (!store.load()) {
            throw new IllegalStateException("RocketMQ refused to load " + dir);
        }
        long loadTook = System.nanoTime() - began;
        store.start();
        return new Engine(store, batchTopic, began, loadTook);
    }

    private static MessageStoreConfig settings(String dir, Flags flags) {
        MessageStoreConfig config = new MessageStoreConfig();
        config.setStorePathRootDir(Path.of(dir).toAbsolutePath().toString());
        config.setHaListenPort(0); // any free port: nothing connects to it

        config.setMappedFileSizeCommitLog(
            flags.count("segment", config.getMappedFileSizeCommitLog(), 1));
        config.setMappedFileSizeConsumeQueue(
            flags.count("queue-file", config.getMappedFileSizeConsumeQueue(), 1));
        config.setMaxHashSlotNum(flags.count("slots", config.getMaxHashSlotNum(), 1));
        config.setMaxIndexNum(flags.count("entries", config.getMaxIndexNum(), 1));
        config.setEnabledAppendPropCRC(flags.on("append-crc"));
        if (flags.on("lmq")) {
            config.setEnableLmq(true);
            config.setEnableMultiDispatch(true);
        }
        config.setEnableConsumeQueueExt(flags.on("ext"));
        String flush = flags.text("flush", "async");
        config.setFlushDiskType(switch (flush) {
            case "async" -> FlushDiskType.ASYNC_FLUSH;
            case "sync" -> FlushDiskType.SYNC_FLUSH;
            default -> throw new Flags.UsageException("--flush is sync or async, not " + flush);
        });
        return config;
    }

    /**
     * RocketMQ opens a RocksDB beside every store, used or not, and RocksDB
     * unpacks its library into a temporary file that it removes at exit. This
     * program halts, so it unpacks the library itself and removes it at once.
     */
    private static void loadNative() throws IOException {
        Path dir = Files.createTempDirectory("interop");
        try {
            NativeLibraryLoader.getInstance().loadLibrary(dir.toString());
        } finally {
            try (Stream<Path> files = Files.list(dir)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(dir);
        }
    }

    /**
     * Waits until every record is in its queues and the index. RocketMQ's
     * dispatcher polls each millisecond, so a fifth of that is fine enough
     * and leaves the processor to it.
     */
    void awaitDispatch() {
        while (store.dispatchBehindBytes() > 0) {
            LockSupport.parkNanos(200_000);
        }
    }

    /** Makes the log durable to its end; one flush call covers one segment. */
    void flushAll() {
        long end = store.getMaxPhyOffset();
        while (store.getFlushedWhere() < end) {
            store.flush();
        }
    }

    /** Stops in order, as a broker does. Takes RocketMQ's fixed three seconds. */
    void shutdown() {
        awaitDispatch();
        store.shutdown();
    }
}
