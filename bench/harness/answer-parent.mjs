/** Handles what the parent process asks, by the names of `handlers`; exits when the parent is gone. */
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
