package interop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Enabled is the environment variable that, set to 1, lets the tests run.
const Enabled = "ACTORSTORE_INTEROP"

// Engine is RocketMQ's store as a program.
type Engine struct {
	classPath string
	// JVM are flags for every Java process this engine starts.
	JVM []string
}

// build makes the Java program once in a process: Maven takes seconds even
// when there is nothing to do.
var build = sync.OnceValues(func() (string, error) {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("%w; tests/interop/install.sh installs a JDK and Maven", err)
		}
	}
	project, err := javaProject()
	if err != nil {
		return "", err
	}
	mvn := exec.Command("mvn", "-q", "-B", "package")
	mvn.Dir = project
	if out, err := mvn.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", project, err, tail(out))
	}
	target := filepath.Join(project, "target")
	return filepath.Join(target, "interop.jar") + string(os.PathListSeparator) +
		filepath.Join(target, "dependency", "*"), nil
})

// NewEngine builds the Java program, if this process has not done so yet. The
// error tells what is missing or what Maven said.
func NewEngine() (*Engine, error) {
	classPath, err := build()
	if err != nil {
		return nil, err
	}
	return &Engine{classPath: classPath}, nil
}

// javaProject finds the Maven project below the module's root, starting from
// the working directory.
func javaProject() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "tests", "interop", "java"), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not inside the module: no go.mod in the working directory or above it")
		}
		dir = parent
	}
}

// Run runs one command of the program and returns the lines it printed. The
// error of a failed command carries the end of its standard error.
func (e *Engine) Run(ctx context.Context, stdin string, args ...string) ([]string, error) {
	cmd := e.command(ctx, args)
	cmd.Stdin = strings.NewReader(stdin)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, tail(complaints.Bytes()))
	}
	return strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' }), nil
}

// command is the program with arguments.
func (e *Engine) command(ctx context.Context, args []string) *exec.Cmd {
	full := append([]string{}, e.JVM...)
	full = append(full, "-cp", e.classPath, "actorstore.interop.Main")
	cmd := exec.CommandContext(ctx, "java", append(full, args...)...)
	// Topics become file names and keys arguments: Java must take both for UTF-8.
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	return cmd
}

// tail is the last part of an output, enough for a stack trace.
func tail(out []byte) []byte {
	const most = 8 << 10
	if len(out) > most {
		out = out[len(out)-most:]
	}
	return bytes.TrimSpace(out)
}
