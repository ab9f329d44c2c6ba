package actorstore.interop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Command line of one sub-command: words, and flags of the form
 * {@code --name value} or, for switches, {@code --name}. A flag that nobody
 * asked for is an error, so a misspelt one is not silently ignored.
 */
final class Flags {
    private static final Set<String> SWITCHES =
        Set.of("append-crc", "lmq", "halt", "shutdown", "keyed", "ext");

    private final List<String> words = new ArrayList<>();
    private final Map<String, String> values = new HashMap<>();

    Flags(List<String> args) {
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (!arg.startsWith("--")) {
                words.add(arg);
                continue;
            }
            String name = arg.substring(2);
            if (SWITCHES.contains(name)) {
                values.put(name, "true");
            } else if (i + 1 < args.size()) {
                values.put(name, args.get(++i));
            } else {
                throw new UsageException(arg + " needs a value");
            }
        }
    }

    /** Takes the next word; {@code what} names it in the complaint when there is none. */
    String word(String what) {
        if (words.isEmpty()) {
            throw new UsageException(what + " is missing");
        }
        return words.remove(0);
    }

    /** Takes all the words that are left. */
    List<String> rest() {
        List<String> rest = new ArrayList<>(words);
        words.clear();
        return rest;
    }

    boolean on(String name) {
        return values.remove(name) != null;
    }

    String text(String name, String preset) {
        String value = values.remove(name);
        return value == null ? preset : value;
    }

    long number(String name, long preset) {
        String value = values.remove(name);
        if (value == null) {
            return preset;
        }
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new UsageException("--" + name + " " + value + " is not a number");
        }
    }

    int count(String name, int preset, int least) {
        long value = number(name, preset);
        if (value < least || value > Integer.MAX_VALUE) {
            throw new UsageException("--" + name + " must be at least " + least);
        }
        return (int) value;
    }

    /** Refuses what no one took. Called before anything is opened. */
    void done() {
        if (!words.isEmpty() || !values.isEmpty()) {
            throw new UsageException("not understood: " + words + " " + values.keySet());
        }
    }

    /** A mistake on the command line. */
    static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UsageException(String message) {
            super(message);
        }
    }
}
