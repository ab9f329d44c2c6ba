package actorstore.interop;

import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.GetMessageResult;
import org.apache.rocketmq.store.GetMessageStatus;

/**
 * One reader: its queues one after the other, in batches, touching one byte
 * of every cache line of each body and decoding nothing else.
 */
final class Consumer implements Callable<Long> {
    private static final int BATCH = 32;
    private static final int LINE = 64;
    private static final int SYS_FLAG_AT = 36;
    private static final int BODY_LENGTH_AT = 84; // with two IPv4 hosts
    private static final int V6_MORE = 12;

    /** Keeps the compiler from dropping the reads. */
    static volatile long sink;

    private final DefaultMessageStore store;
    private final long[] begin;
    private final long[] end;
    private final int first;
    private final int step;

    /** Reads every {@code step}th queue from number {@code first}. */
    Consumer(DefaultMessageStore store, long[] begin, long[] end, int first, int step) {
        this.store = store;
        this.begin = begin;
        this.end = end;
        this.first = first;
        this.step = step;
    }

    /** Returns the number of messages read. */
    @Override
    public Long call() {
        long read = 0;
        long sum = 0;
        for (int queue = first; queue < end.length; queue += step) {
            for (long next = begin[queue]; next < end[queue];) {
                GetMessageResult got = store.getMessage("bench", Bench.TOPIC, queue, next, BATCH, null);
                if (got.getStatus() != GetMessageStatus.FOUND) {
                    throw new IllegalStateException("queue " + queue + " at " + next + ": " + got.getStatus());
                }
                for (ByteBuffer record : got.getMessageBufferList()) {
                    sum += touch(record);
                }
                read += got.getMessageCount();
                next = got.getNextBeginOffset();
                got.release();
            }
        }
        sink += sum;
        return read;
    }

    private static long touch(ByteBuffer record) {
        int flag = record.getInt(SYS_FLAG_AT);
        int at = BODY_LENGTH_AT
            + ((flag & MessageSysFlag.BORNHOST_V6_FLAG) != 0 ? V6_MORE : 0)
            + ((flag & MessageSysFlag.STOREHOSTADDRESS_V6_FLAG) != 0 ? V6_MORE : 0);
        int end = at + 4 + record.getInt(at);
        long sum = 0;
        for (int i = at + 4; i < end; i += LINE) {
            sum += record.get(i);
        }
        return sum;
    }
}
