import { type Ask, type Changes, type Kind, kindOf, longText, marker, oddUsages, words } from './kind.ts'

const compaction = (name: string, body: Ask = () => ({}), changes: Changes = {}): Kind =>
  kindOf('compact', name, (random) => ({ model: 'priced', input: words(random, 60), ...body(random) }), changes)

/** A request whose input tells the model server what to do. */
const telling =
  (...directives: readonly string[]): Ask =>
  (random) => ({
    input: `${marker(...directives)} ${words(random, 40)}`
  })

const conversation = [
  { role: 'user', content: 'How is the weather?' },
  { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Rome"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'Sunny, 31 °C' },
  { role: 'assistant', content: 'Sunny and hot.' }
]
const rare = { weight: 0.5 }
const unreported = { ...rare, isReported: false }

/** Conversations that the model writes shorter. Their answers are never streamed. */
export const compactKinds: readonly Kind[] = [
  compaction('a text'),
  compaction('a conversation', () => ({ input: conversation, instructions: 'Keep the city.' })),
  compaction('a long conversation', (random) => ({ input: longText(random) })),
  compaction('a stored response', (random) => ({ input: words(random, 60) }), { continues: true }),
  compaction('reasoning', () => ({ model: 'priced-thinking' })),
  compaction('cached and written', (random) => ({
    ...telling('cached-tokens=9', 'cache-write-tokens=7', 'cache-write-long-tokens=5')(random),
    prompt_cache_options: { ttl: '12h' }
  })),
  compaction('flex', () => ({ service_tier: 'flex' })),
  compaction('usage not reported', telling('no-usage'), unreported),
  ...oddUsages.map((odd) => compaction(`usage ${odd}`, telling(`odd-usage=${odd}`), unreported)),
  compaction('upstream that fails', () => ({ model: 'priced-failing' }), rare),
  compaction('upstream that refuses', () => ({ model: 'refusing' }), rare),
  compaction('broken in the middle', () => ({ model: 'broken' }), rare),
  compaction('no answer in time', () => ({ model: 'hanging' }), { weight: 0.2 }),
  compaction('hang-up before the answer', () => ({ model: 'slow' }), { reading: 'hangs up before the answer' })
]
