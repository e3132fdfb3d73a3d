// The least that a page does to show a session at the same addresses: it makes the same requests to the
// gateway and shows the text of the responses. `?live` appends the text of each event as it arrives.

const pre = document.querySelector('pre')
const query = new URLSearchParams(location.search)
const session = `/v1${location.pathname}`

async function get(path) {
  const answer = await fetch(session + path)
  return answer.json()
}

async function showText(at) {
  const { snapshot } = await get(at === null ? '' : `?at=${at}`)
  pre.textContent = snapshot.outputs.map(({ text }) => text).join('\n\n')
}

async function showOutline() {
  for (let after = -1; after !== undefined; ) {
    const { rows, next } = await get(`/outline?after=${after}&limit=10000`)
    pre.textContent = rows.slice(-100).join('\n')
    pre.dataset.rows = 'shown'
    after = next
  }
}

async function showEntry(seq) {
  pre.textContent = JSON.stringify(await get(`/entries/${seq}`), undefined, 2)
}

function follow() {
  const events = new EventSource(`${session}/events?dialect=sluice&after=now`)
  events.onmessage = ({ data }) => {
    const entry = JSON.parse(data)
    for (const event of entry.events) if (event.kind === 'text-delta') pre.append(event.text)
    pre.dataset.seq = entry.seq
  }
}

if (query.has('live')) follow()
else if (query.has('seq')) await showEntry(query.get('seq'))
else if (query.has('part')) await showOutline()
else await showText(query.get('at'))
pre.dataset.all = 'shown'
