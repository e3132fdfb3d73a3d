/** How often a property runs: `base` times, multiplied by SLUICE_ROUNDS, which the soak sets. */
export function runs(base: number): number {
  const rounds = Number(process.env['SLUICE_ROUNDS'] ?? 1)
  return Number.isFinite(rounds) && rounds > 0 ? Math.ceil(base * rounds) : base
}
