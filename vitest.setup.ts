import fc from 'fast-check'

// One seed for all properties, so that a run can be repeated; `npm run soak` uses another one each time.
fc.configureGlobal({ seed: Number(process.env['SLUICE_SEED'] ?? 1) })
