package encoding

import (
	"encoding/binary"
	"errors"
	"time"
)

// timeFormat is the layout of times in a column: text that sorts.
const timeFormat = "2006-01-02T15:04:05.000000000Z"

// latest is the last time that timeFormat can write.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)

// Time writes a time, and keeps it within the years 0 to 9999.
func Time(t time.Time) string {
	t = t.UTC()
	if t.Year() < 0 {
		t = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if t.After(latest) {
		t = latest
	}
	return t.Format(timeFormat)
}

// ParseTime reads a time that Time wrote.
func ParseTime(s string) (time.Time, error) {
	t, err := time.Parse(timeFormat, s)
	return t.UTC(), err
}

// List writes the numbers of a plan's records as the difference of each to the one before,
// in varints: records of one commit have neighbouring numbers, so most take one byte.
func List(ns []int64) []byte {
	list := []byte{}
	var last int64
	for _, n := range ns {
		list = binary.AppendVarint(list, n-last)
		last = n
	}
	return list
}

// ParseList reads the numbers that List wrote.
func ParseList(list []byte) (ns []int64, err error) {
	var last int64
	for len(list) > 0 {
		d, n := binary.Varint(list)
		if n <= 0 {
			return nil, errors.New("list of records")
		}
		last += d
		ns = append(ns, last)
		list = list[n:]
	}
	return ns, nil
}
