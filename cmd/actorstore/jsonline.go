package main

import (
	"bytes"
	"fmt"
	"strconv"
)

// jsonLine builds one JSON object on one line: keys in the order of the calls,
// no spaces, UTF-8 as it is. encoding/json would escape '<' and the like, and
// two exports are compared with diff.
type jsonLine struct{ bytes.Buffer }

// line begins an object in memory that is used again and again.
func (l *jsonLine) line() *jsonLine {
	l.Reset()
	return l
}

func (l *jsonLine) key(name string) *jsonLine {
	if l.Len() == 0 {
		l.WriteByte('{')
	} else {
		l.WriteByte(',')
	}
	l.quote(name)
	l.WriteByte(':')
	return l
}

func (l *jsonLine) number(name string, v int64) *jsonLine {
	l.key(name).Write(strconv.AppendInt(l.AvailableBuffer(), v, 10))
	return l
}

// real has one decimal, as the Java bench prints it.
func (l *jsonLine) real(name string, v float64) *jsonLine {
	l.key(name).Write(strconv.AppendFloat(l.AvailableBuffer(), v, 'f', 1, 64))
	return l
}

// fine has three decimals.
func (l *jsonLine) fine(name string, v float64) *jsonLine {
	l.key(name).Write(strconv.AppendFloat(l.AvailableBuffer(), v, 'f', 3, 64))
	return l
}

func (l *jsonLine) flag(name string, v bool) *jsonLine {
	l.key(name).Write(strconv.AppendBool(l.AvailableBuffer(), v))
	return l
}

func (l *jsonLine) text(name, v string) *jsonLine {
	l.key(name).quote(v)
	return l
}

// quote escapes what JSON demands and nothing else.
func (l *jsonLine) quote(s string) {
	l.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			l.WriteByte('\\')
			l.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(l, `\u%04x`, c)
		default:
			l.WriteByte(c)
		}
	}
	l.WriteByte('"')
}

// put ends the object and prints it.
func (a *app) put(l *jsonLine) error {
	l.WriteString("}\n")
	_, err := a.out.Write(l.Bytes())
	return err
}
