// Package responses speaks the OpenAI Responses API: one item, one message.
//
// Use: Codec for requests and replies; ParseItem for items of session files.
// Law: what is not edited leaves as it came (SPEC V11), and what is written
// obeys WO2 and WO3 (SPEC V3). Promise: items that are not known pass unread.
package responses

// Name is the dialect's name.
const Name = "responses"
