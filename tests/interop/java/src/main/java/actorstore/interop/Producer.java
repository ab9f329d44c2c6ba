package actorstore.interop;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExtBrokerInner;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.PutMessageResult;
import org.apache.rocketmq.store.PutMessageStatus;

/**
 * One producer. With a window of one it puts, waits for the answer and puts
 * the next; with a larger one it has up to that many puts unanswered. Each
 * latency runs from the call to the answer, the message being ready before.
 */
final class Producer implements Callable<Void> {
    private final DefaultMessageStore store;
    private final Bench.Load load;
    private final byte[][] bodies;
    private final int number;
    private final long[] latencies;
    private final Semaphore window;
    private volatile PutMessageStatus failed;

    Producer(DefaultMessageStore store, Bench.Load load, byte[][] bodies, int number, long[] latencies) {
        this.store = store;
        this.load = load;
        this.bodies = bodies;
        this.number = number;
        this.latencies = latencies;
        this.window = new Semaphore(load.window());
    }

    @Override
    public Void call() throws InterruptedException {
        for (int k = 0; k < latencies.length && failed == null; k++) {
            MessageExtBrokerInner message = message(k);
            if (load.window() == 1) {
                long begin = System.nanoTime();
                answered(k, begin, store.putMessage(message));
            } else {
                pipelined(k, message);
            }
        }
        if (load.window() > 1) {
            window.acquire(load.window()); // until the last answer
        }
        if (failed != null) {
            throw new IllegalStateException("a put was answered " + failed);
        }
        return null;
    }

    private void pipelined(int k, MessageExtBrokerInner message) throws InterruptedException {
        window.acquire();
        long begin = System.nanoTime();
        CompletableFuture<PutMessageResult> future = store.asyncPutMessage(message);
        if (future.isDone()) { // as with asynchronous flush: spares the callback
            answered(k, begin, future.join());
            window.release();
            return;
        }
        future.whenComplete((result, error) -> {
            answered(k, begin, result);
            window.release();
        });
    }

    private void answered(int k, long begin, PutMessageResult result) {
        latencies[k] = System.nanoTime() - begin;
        PutMessageStatus status = result == null ? PutMessageStatus.UNKNOWN_ERROR : result.getPutMessageStatus();
        if (status != PutMessageStatus.PUT_OK) {
            failed = status;
        }
    }

    private MessageExtBrokerInner message(int k) {
        MessageExtBrokerInner m = new MessageExtBrokerInner();
        Messages.address(m, Bench.TOPIC, (number + k) % load.queues());
        m.setBody(bodies[(int) ((number * 7919L + k) % bodies.length)]);
        if (load.keyed()) {
            m.setTags("TagA");
            m.setKeys("k" + number + "-" + k);
            m.setPropertiesString(MessageDecoder.messageProperties2String(m.getProperties()));
        }
        return m;
    }
}
