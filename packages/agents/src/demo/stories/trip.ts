import type { ChoiceWords, Script } from '../script.ts'
import type { PlaceWords, TripWords } from '../words/demo-words.ts'

/** Plans a weekend trip, and books it if somebody says so. */
export function tripStory(words: TripWords): Script {
  return [
    { do: 'plan', items: words.plan },
    { do: 'work', item: 0 },
    { do: 'think', text: words.thought },
    {
      do: 'choose',
      text: words.question,
      choices: [
        toChoice('sea', words.sea, { hours: '3:10', price: '186' }),
        toChoice('hills', words.hills, { hours: '2:45', price: '172' }),
        toChoice('city', words.city, { hours: '4:20', price: '214' }),
      ],
    },
    { do: 'work', item: 1 },
    {
      do: 'use',
      tools: [
        {
          tool: 'search_trains',
          args: { to: '{place}', day: '2027-05-15', travellers: 2 },
          takesMs: 1400,
          result: [
            { departs: '07:46', takes: '{hours}', changes: 0 },
            { departs: '09:46', takes: '{hours}', changes: 1 },
          ],
        },
        {
          tool: 'weather',
          args: { place: '{place}', days: 2 },
          takesMs: 600,
          result: { saturday: { high: 21, rain: 0.1 }, sunday: { high: 19, rain: 0.3 } },
        },
      ],
    },
    {
      do: 'fail',
      steps: [
        {
          do: 'use',
          tools: [
            {
              tool: 'search_hotels',
              args: { place: '{place}', nights: 1 },
              takesMs: 900,
              result: { error: 'service unavailable' },
              status: 'error',
            },
          ],
        },
      ],
    },
    { do: 'work', item: 2 },
    {
      do: 'use',
      tools: [
        {
          tool: 'task',
          args: { agent: 'scout', prompt: words.scout },
          takesMs: 300,
          result: '{stay}',
          steps: [
            {
              do: 'use',
              tools: [
                {
                  tool: 'search_hotels',
                  args: { place: '{place}', nights: 1, maxPrice: 120 },
                  takesMs: 900,
                  result: [{ name: '{stay}', price: 96, rating: 4.6 }],
                },
              ],
            },
            { do: 'say', text: words.compared },
          ],
        },
      ],
    },
    { do: 'say', text: words.answer },
    {
      do: 'cite',
      items: [
        { title: '{place}', url: 'https://example.org/places' },
        { title: '{stay}', url: 'https://example.org/stays' },
      ],
    },
    { do: 'work', item: 3 },
    {
      do: 'confirm',
      text: words.confirm,
      consequence: words.consequence,
      accepted: [
        {
          do: 'use',
          tools: [
            {
              tool: 'book_trip',
              args: { place: '{place}', departs: '07:46', stay: '{stay}', travellers: 2 },
              takesMs: 1200,
              result: { booking: 'DEMO-4711', price: '{price} EUR' },
              isIrreversible: true,
            },
          ],
        },
        { do: 'say', text: words.booked },
      ],
      refused: [{ do: 'say', text: words.kept }],
    },
    { do: 'work', item: 4 },
  ]
}

function toChoice(
  value: string,
  { label, place, stay, walk }: PlaceWords,
  numbers: { readonly hours: string; readonly price: string },
): ChoiceWords {
  return { value, label, words: { place, stay, walk, ...numbers } }
}
