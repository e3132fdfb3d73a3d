// Readers of one long session: some read everything, some take nothing.

import { answerParent } from '../harness/answer-parent.mjs'
import { eventMark } from './events.mjs'
import { openReader } from './reader.mjs'

let readers = []

async function open({ port, requests }) {
  readers = await Promise.all(requests.map((request) => openReader(port, request, eventMark)))
}

answerParent({
  follow: open,
  async stall(given) {
    await open(given)
    for (const reader of readers) reader.pause()
  },
  close() {
    for (const reader of readers) reader.close()
    readers = []
  },
})
