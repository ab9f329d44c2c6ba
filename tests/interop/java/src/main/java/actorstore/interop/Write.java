package actorstore.interop;

import java.io.PrintStream;
import java.util.List;
import org.apache.rocketmq.common.UtilAll;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageExtBrokerInner;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.store.AppendMessageResult;
import org.apache.rocketmq.store.PutMessageResult;
import org.apache.rocketmq.store.PutMessageStatus;

/**
 * Puts messages of every kind, one after the other, and prints a line for
 * each record: its number, its place in the batch, the status, whether it
 * enters a queue, and the seventeen fields that a reader must find.
 */
final class Write {
    private final Engine engine;
    private final Messages messages;
    private final PrintStream out;

    private Write(Engine engine, Messages messages, PrintStream out) {
        this.engine = engine;
        this.messages = messages;
        this.out = out;
    }

    static void run(Flags flags, PrintStream out) throws Exception {
        String dir = flags.word("DIR");
        int from = flags.count("from", 0, 0);
        int count = flags.count("count", 150, 1);
        long seed = flags.number("seed", 1);
        int longTopic = flags.count("long-topic", 0, 0);
        boolean halt = flags.on("halt");
        Engine engine = Engine.open(dir, flags);
        boolean multiDispatch = engine.store.getMessageStoreConfig().isEnableMultiDispatch();
        Write write = new Write(engine,
            new Messages(seed, longTopic, multiDispatch, engine.batchTopic), out);
        for (int i = from; i < from + count; i++) {
            if (write.messages.isBatch(i)) {
                write.batch(i);
            } else {
                write.single(i);
            }
        }
        if (halt) {
            engine.flushAll(); // Main halts: abort file, queues and index stay as they are
        } else {
            engine.shutdown();
        }
    }

    private void single(int i) {
        MessageExtBrokerInner m = messages.single(i);
        AppendMessageResult result = done(i, engine.store.putMessage(m));
        m.setQueueOffset(result.getLogicsOffset());
        m.setCommitLogOffset(result.getWroteOffset());
        m.setStoreSize(result.getWroteBytes());
        m.setStoreTimestamp(result.getStoreTimestamp());
        print(i, 0, m);
    }

    private void batch(int i) {
        List<Message> members = messages.members(i);
        var batch = messages.batch(i, members);
        AppendMessageResult result = done(i, engine.store.putMessages(batch));
        // A message id ends with the record's physical offset, in hexadecimal.
        String[] ids = result.getMsgId().split(",");
        for (int n = 0; n < ids.length; n++) {
            long start = offset(ids[n]);
            long end = n + 1 < ids.length ? offset(ids[n + 1])
                : result.getWroteOffset() + result.getWroteBytes();
            MessageExt m = new MessageExt();
            Messages.address(m, batch.getTopic(), batch.getQueueId());
            m.setBornTimestamp(batch.getBornTimestamp());
            m.setQueueOffset(result.getLogicsOffset() + n);
            m.setCommitLogOffset(start);
            m.setStoreSize((int) (end - start));
            m.setStoreTimestamp(result.getStoreTimestamp());
            m.setBody(members.get(n).getBody());
            m.setBodyCRC(UtilAll.crc32(m.getBody()));
            members.get(n).getProperties().forEach(
                (name, value) -> MessageAccessor.putProperty(m, name, value));
            print(i, n, m);
        }
    }

    private static long offset(String id) {
        return Long.parseLong(id.substring(id.length() - 16), 16);
    }

    private static AppendMessageResult done(int i, PutMessageResult result) {
        if (result.getPutMessageStatus() != PutMessageStatus.PUT_OK) {
            throw new IllegalStateException("message " + i + ": " + result.getPutMessageStatus());
        }
        return result.getAppendMessageResult();
    }

    private void print(int i, int n, MessageExt m) {
        int transaction = MessageSysFlag.getTransactionValue(m.getSysFlag());
        boolean queued = transaction == MessageSysFlag.TRANSACTION_NOT_TYPE
            || transaction == MessageSysFlag.TRANSACTION_COMMIT_TYPE;
        out.println(new Lines().number("i", i).number("n", n)
            .text("status", PutMessageStatus.PUT_OK.name()).flag("queued", queued)
            .fields(m).line());
    }
}
