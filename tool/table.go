package tool

import "strings"

// table knows the tools of common agents by lower-case name: Claude Code,
// Codex, pi, SWE-agent and mini-SWE-agent, opencode, gemini-cli, OpenHands,
// Cline and Cursor.
var table = func() map[string]entry {
	t := map[string]entry{}
	add := func(c Class, p Policy, names string) {
		for _, n := range strings.Fields(names) {
			t[n] = entry{class: c, policy: p}
		}
	}
	path := []string{"path"}
	add(Read, Policy{Durability: Replayable, Preserve: path},
		`read read_file readfile read_many_files view view_file open open_file goto scroll_up scroll_down
		notebookread read_notebook cat_file get_file_contents fetch_file view_image todoread`)
	add(Other, Policy{Durability: Replayable}, `calculate calculator`)
	add(Other, Policy{Durability: Ephemeral}, `think`)
	add(List, Policy{Durability: Ephemeral, Preserve: path},
		`ls list list_dir list_directory list_files listdir directory_tree glob find find_file file_search`)
	add(Search, Policy{Durability: Ephemeral, Preserve: []string{"pattern", "query", "path"}},
		`grep grep_files grep_search search_file_content search_files search_dir search_file ripgrep codebase_search search_for_pattern`)
	add(Shell, Policy{Durability: Anchoring, Preserve: []string{"command", "exit_code"}},
		`bash shell local_shell exec exec_command shell_command run_shell_command run_command execute_command execute_bash
		run_terminal_cmd run_in_terminal terminal bashoutput bash_output write_stdin killshell killbash kill_shell
		execute_ipython_cell ipython python execute_code run_code powershell`)
	add(Write, Policy{Durability: Anchoring, Preserve: []string{"path", "success"}},
		`write write_file writefile write_to_file create create_file file_write save_file copy_file`)
	add(Edit, Policy{Durability: Anchoring, Preserve: []string{"path", "success"}},
		`edit multiedit multi_edit edit_file str_replace str_replace_editor str_replace_based_edit_tool replace replace_in_file
		insert insert_edit_into_file apply_patch applypatch patch apply_diff notebookedit notebook_edit edit_notebook search_replace
		replace_string_in_file multi_replace_string_in_file text_editor delete_file remove_file move_file rename_file`)
	add(Web, Policy{Durability: NonReplayable, Preserve: []string{"query", "url"}, ExternalizeAt: 500},
		`websearch web_search google_web_search search_web webfetch web_fetch fetch fetch_url browser browse browser_navigate browser_action`)
	add(HTTP, Policy{Durability: NonReplayable, Preserve: []string{"status_code", "url", "method"}},
		`http http_request httprequest request curl api_request http_get http_post`)
	add(Todo, Policy{Durability: Ephemeral},
		`todowrite todo_write update_plan write_todos todo update_todo_list taskcreate taskupdate task_create task_update`)
	return t
}()
