import type { ToolKind } from './schema.ts'

/**
 * What a tool does, by the names that agents give it: those of Claude Code, Codex, Gemini CLI, opencode,
 * goose, Cline and Cursor, of the tools that model providers run, and of widespread MCP servers. Words in
 * lower case, joined by `_`. A one-word name counts only as a whole name; a longer one also counts after the
 * name of a server.
 */
export const toolNames: Readonly<Record<ToolKind, string>> = {
  'read-file':
    'read read_file view cat open_file read_text_file read_media_file view_file get_file_contents get_file_content notebook_read read_mcp_resource read_mcp_resource_tool',
  'read-files': 'read_many_files read_multiple_files',
  'write-file':
    'write write_file create_file save_file write_to_file create_or_update_file new_file push_files create_directory',
  'edit-file':
    'edit multi_edit multiedit replace patch apply_patch apply_diff file_change edit_file replace_in_file str_replace str_replace_editor str_replace_based_edit_tool text_editor developer__text_editor text_editor_code_execution insert_content search_and_replace',
  'delete-file': 'delete_file remove_file',
  'move-file': 'move_file rename_file copy_file',
  'list-files':
    'ls list tree list_files list_dir list_directory list_directory_with_sizes directory_tree list_allowed_directories get_file_info',
  'search-files':
    'grep glob rg codesearch code_search codebase_search search_code search_files search_file_content grep_search glob_file_search file_search find_files ripgrep list_code_definition_names lsp tool_search developer__analyze',
  'run-command':
    'bash shell command terminal exec run_command run_shell_command command_execution exec_command execute_command shell_command local_shell local_shell_call run_terminal_cmd run_in_terminal run_bash bash_code_execution unified_exec developer__shell functions__shell container__exec write_stdin',
  'read-output': 'bash_output read_terminal get_terminal_output task_output command_status',
  'stop-command': 'kill_shell kill_bash stop_command task_stop',
  'run-tests': 'run_tests run_test test_runner execute_tests run_unit_tests pytest vitest jest',
  'run-code':
    'python run_python execute_python python_interpreter code_interpreter code_execution execute_code run_code run_javascript node_repl ipython jupyter automation_script',
  build: 'build run_build build_project compile compile_project',
  'edit-notebook': 'notebook_edit edit_notebook notebook_edit_cell',
  'use-git':
    'git git_status git_diff git_diff_unstaged git_diff_staged git_commit git_add git_reset git_log git_show git_branch git_create_branch git_checkout git_push git_pull create_branch list_commits get_commit',
  'open-issue': 'create_issue open_issue',
  'open-pull-request': 'create_pull_request open_pull_request',
  search: 'search',
  'search-web':
    'websearch web_search search_web google_web_search google_search web_search_preview web_search_exa brave_web_search brave_local_search tavily_search duckduckgo_search bing_search internet_search search_internet perplexity_ask perplexity_search',
  'fetch-page':
    'fetch webfetch web_fetch fetch_url fetch_page open_url read_url fetch_webpage web_scrape scrape_url get_url url_context firecrawl_scrape',
  browse:
    'browser browser_action browser_navigate browser_navigate_back browser_click browser_type browser_snapshot browser_take_screenshot browser_select_option browser_press_key browser_wait_for browser_evaluate browser_tabs puppeteer_navigate puppeteer_click puppeteer_screenshot puppeteer_fill puppeteer_evaluate playwright_navigate playwright_click',
  'use-computer':
    'computer computer_use computer_use_preview computer_control screen_capture take_screenshot',
  'read-documentation':
    'get_library_docs resolve_library_id get_internal_docs search_docs search_documentation read_documentation cli_help',
  'query-database':
    'sql execute_sql run_sql run_query execute_query sql_query query_database database_query read_query write_query list_tables describe_table postgres__query sqlite__query mysql__query bigquery__query',
  'read-mail':
    'read_mail read_email get_email search_emails search_mail list_emails search_gmail_messages read_gmail_message',
  'send-mail': 'send_mail send_email send_gmail_message gmail_send_email send_draft reply_to_email',
  'send-message':
    'send_message post_message slack_post_message slack_send_message slack_reply_to_thread conversations_add_message send_sms send_chat_message',
  'use-calendar':
    'list_events create_event update_event get_events list_calendars create_calendar_event calendar_search',
  plan: 'todowrite todo_write todoread todo_read todo_list todo write_todos todo__write update_plan update_todo_list manage_todo_list create_plan plan exit_plan_mode enter_plan_mode task_create task_update task_list task_get',
  think: 'think sequentialthinking sequential_thinking',
  delegate:
    'task agent subagent delegate spawn_agent run_agent collab_tool_call new_task delegate_task delegate_to_agent dynamic_task__create_task subagent__execute_task codebase_investigator send_input close_agent transfer_to_agent',
  'ask-person': 'question ask_user ask_user_question ask_followup_question request_user_input ask_question',
  remember:
    'save_memory remember remember_memory add_memory create_memory store_memory create_entities create_relations add_observations',
  recall: 'retrieve_memories search_memory search_memories recall read_graph search_nodes open_nodes',
  'use-skill': 'skill activate_skill use_skill load_skill slash_command fetch_instructions',
  'make-image': 'generate_image image_generation create_image image_generation_call dalle text_to_image',
  'view-image': 'view_image analyze_image image_processor describe_image',
  'look-up-weather': 'weather get_weather get_current_weather get_forecast weather_forecast lookup_weather',
  calculate: 'calculate calculator calc',
  'tell-time': 'get_time get_current_time convert_time get_current_date get_date current_time',
  wait: 'wait sleep',
}
