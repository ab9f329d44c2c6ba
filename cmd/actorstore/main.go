package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

func main() {
	// The first signal ends the work in order; from then on signals do what they
	// do by default, so a second one kills.
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	a := &app{
		in: in, out: bufio.NewWriterSize(out, 64<<10), err: errs,
		outTerminal: isTerminal(out), errTerminal: isTerminal(errs), inTerminal: isTerminal(in),
	}
	a.bar.a, a.store.crc = a, true
	root := newRoot(a)
	args = commandFirst(root, args)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(a.out)
	root.SetErr(errs)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	err := named(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if flushed := a.out.Flush(); err == nil {
		err = flushed
	}
	a.json = a.json || wantsJSON(args) // flags behind a wrong one were not read
	return a.report(ctx, err)
}

// isTerminal tells whether people look at what goes in or out here.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
