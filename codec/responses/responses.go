// Package responses speaks the OpenAI Responses API: one item, one message.
//
// Use: Codec for requests and replies; ParseItem for items of session files.
// Law: what is not edited leaves as it came, and what is written obeys the wire
// rules WO2 and WO3. Promise: unknown items pass unread.
package responses

// Name is the dialect's name.
const Name = "responses"
