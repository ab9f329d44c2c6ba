package actorstore.interop;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.apache.rocketmq.common.message.MessageExt;

/** The JSON lines of the golden files: fixed key order, no spaces, plain UTF-8. */
final class Lines {
    private static final byte[] EMPTY = new byte[0];

    private final StringBuilder out = new StringBuilder(512);

    /** The seventeen fields of one message as a line. */
    static String message(MessageExt m) {
        return new Lines().fields(m).line();
    }

    Lines fields(MessageExt m) {
        byte[] body = m.getBody() == null ? EMPTY : m.getBody();
        return text("topic", m.getTopic())
            .number("queue", m.getQueueId())
            .number("offset", m.getQueueOffset())
            .number("phy", m.getCommitLogOffset())
            .number("size", m.getStoreSize())
            .number("flag", m.getFlag())
            .number("sysFlag", m.getSysFlag())
            .number("born", m.getBornTimestamp())
            .number("stored", m.getStoreTimestamp())
            .text("bornHost", m.getBornHost().toString())
            .text("storeHost", m.getStoreHost().toString())
            .number("recon", m.getReconsumeTimes())
            .number("prep", m.getPreparedTransactionOffset())
            .number("crc", m.getBodyCRC())
            .number("len", body.length)
            .text("md5", md5(body))
            .text("props", properties(m.getProperties()));
    }

    Lines number(String name, long value) {
        key(name).append(value);
        return this;
    }

    Lines real(String name, double value) {
        key(name).append(Math.round(value * 10) / 10.0);
        return this;
    }

    Lines flag(String name, boolean value) {
        key(name).append(value);
        return this;
    }

    Lines text(String name, String value) {
        quote(key(name), value);
        return this;
    }

    String line() {
        return out.append('}').toString();
    }

    private StringBuilder key(String name) {
        out.append(out.length() == 0 ? '{' : ',');
        quote(out, name);
        return out.append(':');
    }

    private static void quote(StringBuilder out, String value) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /** A record without properties decodes to no map at all. */
    private static String properties(Map<String, String> properties) {
        if (properties == null) {
            return "";
        }
        StringBuilder sorted = new StringBuilder();
        new TreeMap<>(properties).forEach((name, value) ->
            sorted.append(name).append('=').append(value).append(';'));
        return sorted.toString();
    }

    private static String md5(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(body));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
