package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore"
)

// shower prints messages of get, tail and query, one after the other.
type shower struct {
	a     *app
	i     *actorstore.Inspection
	form  bodyForm
	line  jsonLine
	table *table
	ids   bool // message ids stand in the table, and no topic
	count int64
}

// bodyColumn is the least width of a body on one line.
const bodyColumn = 24

func (a *app) shower(i *actorstore.Inspection, form bodyForm) *shower {
	s := &shower{a: a, i: i, form: form}
	if !a.json && (form == bodyAuto || form == bodyNone) {
		s.columns("TOPIC")
	}
	return s
}

// columns begins the table.
func (s *shower) columns(first string) {
	headers := []string{first, ">QUEUE", ">OFFSET", ">PHY", ">SIZE", "STORED", "TAGS", "KEYS"}
	if s.form == bodyAuto {
		headers = append(headers, "BODY")
	}
	s.table = s.a.table(headers...)
	s.table.flex = s.form == bodyAuto
}

// withIDs shows message ids where topics stand: all are of one topic.
func (s *shower) withIDs() *shower {
	if s.ids = true; s.table != nil {
		s.columns("ID")
	}
	return s
}

// show prints one message.
func (s *shower) show(ctx context.Context, m *actorstore.MessageExt) error {
	s.count++
	if s.a.json {
		props, err := properties(ctx, s.i, m)
		if err != nil {
			return err
		}
		l := s.line.line().message(m, props).ids(m)
		s.form.json(l, m.Body)
		return s.a.put(l)
	}
	if s.table != nil {
		return s.table.row(s.cells(m)...)
	}
	return s.block(m)
}

func (s *shower) cells(m *actorstore.MessageExt) []string {
	first := harmless(m.Topic, false)
	if s.ids {
		first = m.MsgID()
	}
	cells := []string{first, strconv.Itoa(int(m.QueueID)), strconv.FormatInt(m.QueueOffset, 10),
		strconv.FormatInt(m.PhysicalOffset, 10), strconv.Itoa(int(m.StoreSize)), timeText(m.StoreTimestamp),
		harmless(m.Tags(), false), harmless(strings.Join(m.Keys(), " "), false)}
	if s.form == bodyAuto {
		cells = append(cells, preview(m.Body, s.a.width()))
	}
	return cells
}

// block prints a message with its whole body.
func (s *shower) block(m *actorstore.MessageExt) error {
	a := s.a
	a.printf("%s\n", a.paint(bold, harmless(m.Topic, false)+"/"+strconv.Itoa(int(m.QueueID))+" @ "+strconv.FormatInt(m.QueueOffset, 10)))
	a.printf("  id %s  phy %d  size %d  body %d\n", m.MsgID(),
		m.PhysicalOffset, m.StoreSize, len(m.Body))
	a.printf("  stored %s  born %s at %s\n", timeText(m.StoreTimestamp), timeText(m.BornTimestamp), m.BornHost)
	for name, value := range m.Properties.All() {
		a.printf("  %s = %s\n", a.paint(cyan, harmless(name, false)), harmless(value, false))
	}
	if s.form != bodyNone {
		a.printf("%s\n", s.form.whole(m.Body, a.outTerminal))
	}
	return nil
}

// end prints what was held back for alignment.
func (s *shower) end() error {
	if s.table != nil {
		return s.table.print()
	}
	return nil
}
