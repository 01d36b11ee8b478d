// Package openai speaks the OpenAI Chat Completions API and its many copies.
//
// Use: Codec for requests and replies; ParseMessage for single messages. Law:
// what is not edited leaves as it came, and what is written obeys wire rule WO1.
// Promise: unknown members of a message stay where they are.
package openai

// Name is the dialect's name.
const Name = "openai"
