package main

import (
	"strconv"
	"time"
)

const timeForms = "milliseconds since 1970, 2006-01-02T15:04:05Z, \"2006-01-02 15:04:05\" (local time), or an age such as 10m"

// parseTime reads a store time and gives milliseconds.
func parseTime(flag, text string) (int64, error) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return ms, nil
	}
	if age, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-age).UnixMilli(), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t.UnixMilli(), nil
	}
	for _, form := range []string{"2006-01-02 15:04:05.999", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, usage(flag+" takes "+timeForms, "%s %q is no time", flag, text)
}

// timeText is a store time for people, in local time.
func timeText(ms int64) string {
	if ms <= 0 {
		return "-"
	}
	return time.UnixMilli(ms).Format("2006-01-02 15:04:05.000")
}

// tookText is a duration for people: three digits are enough.
func tookText(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}
