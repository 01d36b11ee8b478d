package main

import (
	"github.com/spf13/cobra"

	"github.com/seed-3db51b0e/precis/internal/notices"
)

func licensesCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "licenses", Short: "print the licences of what this program contains", Args: arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if std.json {
				return std.object(map[string]string{"notices": notices.Text()})
			}
			return std.exactly(notices.Text())
		},
	}
}
