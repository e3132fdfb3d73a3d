/** Answers what the process that started this one asks, by the names of `handlers`; ends when that process is gone. */
export function answerParent(handlers) {
  process.on('message', async ({ id, ask, given }) => {
    try {
      process.send({ id, answer: await handlers[ask](given) })
    } catch (error) {
      process.send({ id, failure: error instanceof Error ? error.stack : String(error) })
    }
  })
  process.on('disconnect', () => process.exit())
  process.send({ ready: true })
}
