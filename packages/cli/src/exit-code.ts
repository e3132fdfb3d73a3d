/** What a command's exit code says. */
export const exitCode = { clean: 0, findings: 1, usage: 2 } as const
