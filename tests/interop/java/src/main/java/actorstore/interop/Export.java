package actorstore.interop;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.rocketmq.common.BoundaryType;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.store.GetMessageResult;
import org.apache.rocketmq.store.GetMessageStatus;
import org.apache.rocketmq.store.QueryMessageResult;
import org.apache.rocketmq.store.queue.ConsumeQueueInterface;

/** Prints what RocketMQ reads from a store. */
final class Export {
    private static final int BATCH = 32;
    private static final int MOST_MATCHES = 64;
    private static final int PHYSICAL_OFFSET_AT = 28;

    private final Engine engine;
    private final PrintStream out;

    Export(Engine engine, PrintStream out) {
        this.engine = engine;
        this.out = out;
    }

    /** The log's range, then each queue and its messages, sorted by topic and number. */
    void all() {
        out.println(new Lines()
            .number("min", engine.store.getMinPhyOffset())
            .number("max", engine.store.getMaxPhyOffset()).line());
        // Listed before the first read: reading an unknown queue creates it.
        List<ConsumeQueueInterface> queues = new ArrayList<>();
        engine.store.getConsumeQueueTable().values().forEach(byNumber -> queues.addAll(byNumber.values()));
        queues.sort(Comparator.comparing(ConsumeQueueInterface::getTopic)
            .thenComparingInt(ConsumeQueueInterface::getQueueId));
        queues.forEach(this::queue);
    }

    private void queue(ConsumeQueueInterface queue) {
        long next = queue.getMinOffsetInQueue();
        long end = queue.getMaxOffsetInQueue();
        out.println(new Lines()
            .text("topic", queue.getTopic()).number("queue", queue.getQueueId())
            .number("minOffset", next).number("maxOffset", end).line());
        while (next < end) {
            GetMessageResult got = engine.store.getMessage("export", queue.getTopic(),
                queue.getQueueId(), next, BATCH, null);
            try {
                if (got.getStatus() != GetMessageStatus.FOUND || got.getNextBeginOffset() <= next) {
                    throw new IllegalStateException("reading " + queue.getTopic() + " "
                        + queue.getQueueId() + " at " + next + " of " + end + ": " + got.getStatus());
                }
                for (ByteBuffer bytes : got.getMessageBufferList()) {
                    out.println(Lines.message(decode(bytes)));
                }
                next = got.getNextBeginOffset();
            } finally {
                got.release();
            }
        }
    }

    /** The body stays as it is stored: compressed bytes are compared as such. */
    private static MessageExt decode(ByteBuffer bytes) {
        MessageExt message = MessageDecoder.decode(bytes, true, false);
        if (message == null) {
            throw new IllegalStateException("RocketMQ cannot decode a record it returned");
        }
        return message;
    }

    /** The physical offsets of a key query over all times. */
    void query(String topic, String key) {
        StringBuilder offsets = new StringBuilder();
        QueryMessageResult got = engine.store.queryMessage(topic, key, MOST_MATCHES, 0, Long.MAX_VALUE);
        try {
            for (ByteBuffer bytes : got.getMessageBufferList()) {
                offsets.append(offsets.isEmpty() ? "" : " ").append(bytes.getLong(PHYSICAL_OFFSET_AT));
            }
        } finally {
            got.release();
        }
        out.println(new Lines().text("query", topic + "/" + key).text("offsets", offsets.toString()).line());
    }

    /** The offsets that a time (in ms) selects. */
    void time(String topic, int queue, long time) {
        out.println(new Lines()
            .text("topic", topic).number("queue", queue).number("time", time)
            .number("lower", engine.store.getOffsetInQueueByTime(topic, queue, time, BoundaryType.LOWER))
            .number("upper", engine.store.getOffsetInQueueByTime(topic, queue, time, BoundaryType.UPPER))
            .line());
    }

    /** One question of the form "query TOPIC KEY" or "time TOPIC QUEUE MS", tab separated. */
    void ask(String question) {
        String[] part = question.split("\t", -1);
        if (part.length == 3 && part[0].equals("query")) {
            query(part[1], part[2]);
        } else if (part.length == 4 && part[0].equals("time")) {
            time(part[1], Integer.parseInt(part[2]), Long.parseLong(part[3]));
        } else {
            throw new Flags.UsageException("not a question: " + question);
        }
    }
}
