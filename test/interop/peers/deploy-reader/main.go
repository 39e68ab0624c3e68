// Reads the files of collector/deploy as those do who run them: BuildKit's parser and linter of Dockerfiles, and Compose's loader.
//
//	deploy-reader dockerfile <file>   prints its stages as JSON: commands in order, with what they set
//	deploy-reader compose <file>      prints the project as JSON; variables come from the environment
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

type command struct {
	Name string `json:"name"`
	Code any    `json:"code"`
}

type stage struct {
	Name     string    `json:"name"`
	Base     string    `json:"base"`
	Commands []command `json:"commands"`
}

type dockerfile struct {
	Stages   []stage  `json:"stages"`
	Warnings []string `json:"warnings"`
}

func readDockerfile(path string) (any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	read := dockerfile{Warnings: []string{}}
	for _, warning := range parsed.Warnings {
		read.Warnings = append(read.Warnings, warning.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) {
		read.Warnings = append(read.Warnings, rule+": "+message)
	}})
	stages, _, err := instructions.Parse(parsed.AST, lint)
	if err != nil {
		return nil, err
	}
	for _, each := range stages {
		shown := stage{Name: each.Name, Base: each.BaseName}
		for _, code := range each.Commands {
			shown.Commands = append(shown.Commands, command{Name: code.Name(), Code: code})
		}
		read.Stages = append(read.Stages, shown)
	}
	return read, nil
}

func readCompose(path string) (any, error) {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithOsEnv, cli.WithName("reenact"))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

func main() {
	readers := map[string]func(string) (any, error){"dockerfile": readDockerfile, "compose": readCompose}
	if len(os.Args) != 3 || readers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "deploy-reader dockerfile|compose <file>")
		os.Exit(2)
	}
	read, err := readers[os.Args[1]](os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(read); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
