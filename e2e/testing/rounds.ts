/** How often the soak repeats, 1 without it. */
export const rounds: number = Math.max(1, Number(process.env['SLUICE_ROUNDS'] ?? 1) || 1)
