package record

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckTopic says whether a topic may become a directory: 1 to 255 bytes of
// valid UTF-8 without '/', '\', NUL and control characters, and a name that
// stays inside the directory it is joined to ("." and ".." do not; on Windows
// neither do drive and device names). It holds for topics found in records, in
// properties (light queues) and in requests. The error is *LimitError.
func CheckTopic(topic string) error {
	if len(topic) == 0 || len(topic) > MaxRetryTopic {
		return topicError("1 to 255 bytes", strconv.Itoa(len(topic)))
	}
	dots := 0
	for i := 0; i < len(topic); i++ {
		c := topic[i]
		switch {
		case c == '.':
			dots++
		case c < ' ' || c == '/' || c == '\\' || c == 0x7F:
			return topicError("no separator or control character", strconv.Quote(topic))
		case c >= utf8.RuneSelf:
			return checkWideTopic(topic)
		}
	}
	if dots == len(topic) && dots <= 2 || !staysInside(topic) {
		return topicError("a name that can be a directory", strconv.Quote(topic))
	}
	return nil
}

// checkWideTopic goes through a topic with other characters than ASCII.
func checkWideTopic(topic string) error {
	if !utf8.ValidString(topic) {
		return topicError("valid UTF-8", strconv.QuoteToASCII(topic))
	}
	bad := func(r rune) bool { return unicode.IsControl(r) || r == '/' || r == '\\' }
	if strings.ContainsFunc(topic, bad) {
		return topicError("no separator or control character", strconv.QuoteToASCII(topic))
	}
	if !staysInside(topic) {
		return topicError("a name that can be a directory", strconv.Quote(topic))
	}
	return nil
}

// staysInside refuses the names with a meaning of their own on Windows. Elsewhere
// a name without separators that is not made of dots leads nowhere else.
func staysInside(topic string) bool {
	return filepath.Separator != '\\' || filepath.IsLocal(topic)
}

// CheckPutTopic says whether a message may be put to a topic: CheckTopic, and
// at most 127 bytes, or 255 if it starts with %RETRY%. The error is *LimitError.
func CheckPutTopic(topic string) error {
	limit := MaxTopic
	if strings.HasPrefix(topic, PrefixRetry) {
		limit = MaxRetryTopic
	}
	if len(topic) > limit {
		return topicError("at most "+strconv.Itoa(limit)+" bytes", strconv.Itoa(len(topic)))
	}
	return CheckTopic(topic)
}

func topicError(want, got string) error {
	return &LimitError{Field: "topic", Want: want, Got: got}
}
