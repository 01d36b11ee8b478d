// Package openai speaks the OpenAI Chat Completions API and its many copies.
//
// Use: Codec for requests and replies; ParseMessage for single messages. Law:
// what is not edited leaves as it came (SPEC V11), and what is written obeys WO1
// (SPEC V3). Promise: members of a message that are not known stay where they
// are.
package openai

// Name is the dialect's name.
const Name = "openai"
