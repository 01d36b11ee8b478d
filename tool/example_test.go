package tool_test

import (
	"fmt"

	"github.com/seed-3db51b0e/precis/message"
	"github.com/seed-3db51b0e/precis/tool"
)

// A Go tool says how durable its results are, and which fields a placeholder
// keeps.
func ExampleDeclaration() {
	createOrder := tool.Declaration{
		Name:   "create_order",
		Policy: tool.Policy{Durability: tool.Anchoring, Preserve: []string{"order_id", "status", "total"}},
	}
	call := message.Part{Kind: message.Call, CallID: "c1", Name: "create_order", Args: `{"items":["lamp"]}`}

	result, err := createOrder.Result(call, map[string]any{
		"order_id": "W-17", "status": "paid", "total": 42.5, "log": "three pages of it",
	}, tool.Envelope{Outcome: tool.Success})
	if err != nil {
		fmt.Println(err)
		return
	}

	tools := tool.Declarations{createOrder}.Policies()
	e := tool.OfWith(call, &result, tools)
	fmt.Println(tool.Resolve(e, tools).Durability)
	fmt.Println(e.Cleared())
	// Output:
	// anchoring
	// [create_order: success]
	// Key data: {"order_id": "W-17", "status": "paid", "total": 42.5}
}
