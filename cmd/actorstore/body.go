package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// bodyForm says how bodies are shown.
type bodyForm string

const (
	bodyAuto   bodyForm = "auto"
	bodyText   bodyForm = "text"
	bodyHex    bodyForm = "hex"
	bodyBase64 bodyForm = "base64"
	bodyNone   bodyForm = "none"
)

func (f *bodyForm) flag(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "body", string(bodyAuto),
		"how bodies are shown: auto (one short line each; with --json text or base64), text, hex, base64 or none")
	complete(c, "body", "auto", "text", "hex", "base64", "none")
}

func (f bodyForm) check() error {
	switch f {
	case bodyAuto, bodyText, bodyHex, bodyBase64, bodyNone:
		return nil
	}
	return usage("--body text, hex, base64, none or auto", "--body %q is no form of a body", string(f))
}

// json adds the body to a message's line. Bytes that are not UTF-8 cannot be
// text in JSON, so the form that was taken stands beside it.
func (f bodyForm) json(l *jsonLine, body []byte) {
	if f == bodyAuto || f == bodyText {
		f = bodyText
		if !utf8.Valid(body) {
			f = bodyBase64
		}
	}
	switch f {
	case bodyText:
		l.text("body", string(body)).text("encoding", "text")
	case bodyHex:
		l.text("body", hex.EncodeToString(body)).text("encoding", "hex")
	case bodyBase64:
		l.text("body", base64.StdEncoding.EncodeToString(body)).text("encoding", "base64")
	}
}

// whole gives a body in full, on lines of its own.
func (f bodyForm) whole(body []byte, terminal bool) string {
	switch f {
	case bodyHex:
		return strings.TrimSuffix(hex.Dump(body), "\n")
	case bodyBase64:
		return base64.StdEncoding.EncodeToString(body)
	}
	if f == bodyAuto && !utf8.Valid(body) {
		return bodyHex.whole(body, terminal)
	}
	if terminal {
		return harmless(string(body), true)
	}
	return string(body)
}

// preview gives the beginning of a body on one line of at most width columns.
func preview(body []byte, width int) string {
	const tooLong = 4 // bytes of UTF-8 in a character, at most
	head := body[:min(len(body), tooLong*width)]
	if len(head) < len(body) {
		for i := 0; i < utf8.UTFMax && !utf8.Valid(head); i++ {
			head = head[:len(head)-1]
		}
	}
	if !utf8.Valid(head) {
		return shorten("hex "+hex.EncodeToString(body[:min(len(body), width)]), width)
	}
	return shorten(harmless(string(head), false), width)
}

// shorten cuts text to a number of characters.
func shorten(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:max(width-1, 0)]) + "…"
}

// harmless shows control characters instead of sending them to a terminal, where
// a message could write anything.
func harmless(text string, lines bool) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
