package actorstore.interop;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageExtBatch;
import org.apache.rocketmq.common.message.MessageExtBrokerInner;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;

/**
 * The messages that {@code write} puts. The kind is the message's number
 * modulo fifteen; content follows from seed and number alone, so a store
 * written in two runs holds what one run would have put.
 */
final class Messages {
    private static final InetSocketAddress BORN = new InetSocketAddress("127.0.0.1", 5555);
    private static final InetSocketAddress STORE = new InetSocketAddress("127.0.0.1", 10911);
    private static final InetSocketAddress BORN_V6 = new InetSocketAddress("2001:db8::1", 6001);
    private static final InetSocketAddress STORE_V6 = new InetSocketAddress("2001:db8::2", 6002);
    private static final int KINDS = 15;
    private static final int BATCH_KIND = 13;
    private static final int MEMBERS = 3;

    private final long seed;
    private final String longTopic;
    private final boolean multiDispatch;
    private final String innerBatchTopic;

    /** {@code innerBatchTopic}, if not null, makes the batches inner batches on that topic. */
    Messages(long seed, int longTopic, boolean multiDispatch, String innerBatchTopic) {
        this.seed = seed;
        this.longTopic = longTopic == 0 ? "t127" : "T".repeat(longTopic);
        this.multiDispatch = multiDispatch;
        this.innerBatchTopic = innerBatchTopic;
    }

    /** Whether message i is a batch that is stored as one record for each member. */
    boolean isBatch(int i) {
        return i % KINDS == BATCH_KIND && innerBatchTopic == null;
    }

    MessageExtBrokerInner single(int i) {
        Random random = new Random(seed * 1_000_003 + i);
        MessageExtBrokerInner m = switch (i % KINDS) {
            case 0 -> message("orders", 0, "TagA", "order-" + i, bytes(random, 32 + random.nextInt(900)));
            case 1 -> message("orders", 1, "TagB", "order-" + i + " cust-" + i % 7, bytes(random, 100 + random.nextInt(500)));
            case 2 -> message("payments", i % 4, null, null, bytes(random, 1 + random.nextInt(3000)));
            case 3 -> message("empty-body", 0, "E", "e" + i, new byte[0]);
            case 4 -> message("unicode", 0, "标签", "ключ-" + i, ("тело " + i + " 😀").getBytes(StandardCharsets.UTF_8));
            case 5 -> message("v6", 0, "V6", "v6-" + i, bytes(random, 100));
            case 6 -> message("orders", 2, "TagC", null, bytes(random, 64));
            case 7, 8, 9 -> message("orders", 0, "T", "tx-" + i, bytes(random, 80));
            case 10 -> message("SCHEDULE_TOPIC_XXXX", 2, "D", "d" + i, bytes(random, 50));
            case 11 -> message("retry", 0, "R", "r#" + i, bytes(random, 50));
            case 12 -> message(longTopic, 0, "L", "l" + i, bytes(random, 30));
            case 13 -> message(innerBatchTopic, 0, "B", "b" + i, innerBody(random, i));
            default -> message("lmq-src", 0, "M", "m" + i, bytes(random, 40));
        };
        special(m, i);
        m.setPropertiesString(MessageDecoder.messageProperties2String(m.getProperties()));
        return m;
    }

    /** What a kind has beside topic, tag, key and body. */
    private void special(MessageExtBrokerInner m, int i) {
        switch (i % KINDS) {
            case 5 -> {
                m.setBornHost(BORN_V6);
                m.setStoreHost(STORE_V6);
            }
            case 6 -> {
                MessageAccessor.putProperty(m, MessageConst.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX,
                    String.format("7F00000100002A139A%014d", i));
                m.putUserProperty("region", "eu-" + i % 3);
            }
            case 7 -> m.setSysFlag(MessageSysFlag.TRANSACTION_PREPARED_TYPE);
            case 8, 9 -> {
                m.setSysFlag(i % KINDS == 8 ? MessageSysFlag.TRANSACTION_COMMIT_TYPE
                    : MessageSysFlag.TRANSACTION_ROLLBACK_TYPE);
                m.setPreparedTransactionOffset(12345);
            }
            case 10 -> {
                m.setDelayTimeLevel(3);
                MessageAccessor.putProperty(m, MessageConst.PROPERTY_REAL_TOPIC, "orders");
                MessageAccessor.putProperty(m, MessageConst.PROPERTY_REAL_QUEUE_ID, "1");
            }
            case 11 -> {
                m.setFlag(i * 31);
                m.setReconsumeTimes(i % 16);
            }
            case 13 -> {
                m.setSysFlag(MessageSysFlag.NEED_UNWRAP_FLAG | MessageSysFlag.INNER_BATCH_FLAG);
                MessageAccessor.putProperty(m, MessageConst.PROPERTY_INNER_NUM, String.valueOf(MEMBERS));
            }
            case 14 -> {
                if (multiDispatch) {
                    MessageAccessor.putProperty(m, MessageConst.PROPERTY_INNER_MULTI_DISPATCH, "%LMQ%a,%LMQ%b");
                }
            }
            default -> { }
        }
    }

    /** The members of batch i, in order. */
    List<Message> members(int i) {
        return members(new Random(seed * 1_000_003 + i), i, "batch");
    }

    private static List<Message> members(Random random, int i, String topic) {
        List<Message> members = new ArrayList<>();
        for (int n = 0; n < MEMBERS; n++) {
            members.add(new Message(topic, "B", "b" + i + "-" + n, bytes(random, 20 + random.nextInt(50))));
        }
        return members;
    }

    MessageExtBatch batch(int i, List<Message> members) {
        MessageExtBatch batch = new MessageExtBatch();
        address(batch, "batch", i % 2);
        batch.setBody(MessageDecoder.encodeMessages(members));
        return batch;
    }

    private byte[] innerBody(Random random, int i) {
        return MessageDecoder.encodeMessages(members(random, i, innerBatchTopic));
    }

    private static MessageExtBrokerInner message(String topic, int queue, String tag, String keys, byte[] body) {
        MessageExtBrokerInner m = new MessageExtBrokerInner();
        address(m, topic, queue);
        if (tag != null) {
            m.setTags(tag);
            m.setTagsCode(MessageExtBrokerInner.tagsString2tagsCode(tag));
        }
        if (keys != null) {
            m.setKeys(keys);
        }
        m.setBody(body);
        return m;
    }

    /** What every message needs; RocketMQ fails a put whose message has no map of properties. */
    static void address(MessageExt m, String topic, int queue) {
        MessageAccessor.setProperties(m, new HashMap<>());
        m.setTopic(topic);
        m.setQueueId(queue);
        m.setBornTimestamp(System.currentTimeMillis());
        m.setBornHost(BORN);
        m.setStoreHost(STORE);
    }

    static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
