// Package update reads which release of a program is the newest.
//
// Use: Latest, then Compare. Law: one request goes out for each call of Latest, and nothing
// of this machine but the program's version goes with it. Promise: what the feed says is
// checked before it is believed: a status, a size, a version in the form v1.2.3.
package update

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/mod/semver"
)

// Feed is where this program's releases stand.
const Feed = "https://api.github.com/repos/seed-3db51b0e/precis/releases/latest"

const (
	patience = 10 * time.Second
	mostFeed = 1 << 20 // bytes
)

// Release is one of a feed.
type Release struct {
	Version   string    `json:"tag_name"`     // v1.2.3
	Page      string    `json:"html_url"`     // where people read of it and get it
	Published time.Time `json:"published_at"` // zero where the feed does not say
}

// Latest asks a feed for the newest release: a JSON object with tag_name, html_url and
// published_at, as GitHub answers. It waits ten seconds at most.
func Latest(ctx context.Context, client *http.Client, url, agent string) (Release, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Release{}, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", agent)
	resp, err := client.Do(r)
	if err != nil {
		return Release{}, err
	}
	defer func() { _ = resp.Body.Close() }() // it has been read
	if resp.StatusCode != http.StatusOK {
		return Release{}, fmt.Errorf("status %d", resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostFeed))
	if err != nil {
		return Release{}, err
	}
	var newest Release
	if err := json.Unmarshal(body, &newest); err != nil {
		return Release{}, fmt.Errorf("read answer: %w", err)
	}
	if !semver.IsValid(newest.Version) {
		return Release{}, fmt.Errorf("read answer: version %.40q is not in the form v1.2.3", newest.Version)
	}
	return newest, nil
}

// Order says how a build stands to a release.
type Order int

// The orders.
const (
	Unknown Order = iota // the build has no version in the form v1.2.3
	Older
	Same
	Newer
)

// Compare reports how the version of a build stands to that of a release.
func Compare(build, released string) Order {
	if !semver.IsValid(build) {
		return Unknown
	}
	return Same + Order(semver.Compare(build, released))
}
