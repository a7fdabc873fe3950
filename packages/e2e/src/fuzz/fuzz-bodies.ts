import { startFakeUpstream } from '@tollgate/gateway/testing/fake-upstream.ts'
import fc from 'fast-check'
import { checkFailure, headersOf, shortAnswer } from './all-apis.ts'
import { LoopWatch } from './loop-watch.ts'

const maxBytes = 20 * 1024 * 1024

/** ASCII texts that, repeated, make a value hard to read. The index makes names and values differ. */
const fillings: Record<string, (index: number) => string> = {
  names: (index) => `"name${index}":0,`,
  // In older releases of V8, the hashes of such names collide.
  'names of digits': (index) => `"${(index % 500_000) * 8192}":0,`,
  'escaped names': (index) => `"\\u00${(index % 90) + 32}${index}":0,`,
  'nested names': (index) => `"a${index}":{"b":{"c${index}":[]}},`,
  objects: () => '{},',
  lists: () => '[],',
  numbers: (index) => `${index % 100_000},`,
  'long numbers': (index) => `-${index}.${'123456789'.repeat(10)}e-${index % 300},`,
  texts: (index) => `"text ${index}",`,
  'empty texts': () => '"",',
  spaces: () => ' \n\t\r     ',
  messages: () => '{"role":"user","content":"x"},',
  references: (index) => `{"type":"item_reference","id":"msg_${index}"},`,
  'items with ids': (index) => `{"type":"message","id":"msg_${index}","role":"user","content":"x"},`,
  'parts of responses': () => '{"type":"input_text","text":"x"},',
  'images of responses': () => '{"type":"input_image","image_url":"data:image/png;base64,AAAA"},',
  'images of messages': () =>
    '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"},"cache_control":{"type":"ephemeral"}},',
  'results of tools': (index) =>
    `{"type":"tool_result","tool_use_id":"x${index}","content":[{"type":"text","text":"x"}]},`,
  'tools of messages': (index) => `{"name":"f${index}","input_schema":{"a":{"type":"object"}}},`,
  parts: () => '{"type":"text","text":"x"},',
  images: () => '{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},',
  'cut pictures': () => `{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,${cutPicture}"}},`,
  tools: (index) => `{"type":"function","function":{"name":"f${index}","parameters":{"a":{"type":"object"}}}},`,
  repeated: (index) => `"name${index % 50_000}":{"x":1,"x":2},`
}
/** Its header is longer than the part that the gateway reads. */
const cutPicture = Buffer.concat([
  Buffer.from('ffd8', 'hex'),
  ...Array(20).fill(Buffer.concat([Buffer.from('ffe1fffd', 'hex'), Buffer.alloc(65_531, 7)]))
]).toString('base64')

/** Repeated within one text. */
const texts: Record<string, string> = {
  letters: 'abcdefgh',
  quotes: '\\"',
  backslashes: '\\\\',
  'code units': '\\u00e9',
  surrogates: '\\ud83c\\udf89',
  'not ASCII': 'é🎉',
  mixed: 'x\\n\\"\\\\ é',
  'almost names': '\\"type\\":\\"image_url\\",',
  base64: 'QUJD/+',
  'escaped base64': 'QUJD\\/+'
}

/** The JSON before and after the filling. The end completes a list after its last comma. */
const places: ReadonlyArray<readonly [before: string, after: string]> = [
  ['"messages":[', '{"role":"user","content":"x"}]'],
  ['"messages":[{"role":"user","content":[', '{"type":"text","text":"x"}]}]'],
  ['"messages":[{"role":"user","content":"x"}],"tools":[', '{}]'],
  [
    '"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{',
    '"z":0}}}]'
  ],
  ['"messages":[{"role":"user","content":"x"}],"metadata":{', '"z":"0"}'],
  ['"messages":[{"role":"user","content":"x"}],"unknown":[', '0]'],
  ['"messages":[{"role":"user","content":"x"}],', '"z":0'],
  ['"input":[', '0]'],
  ['"input":[[', '0]]'],
  ['"input":[', '"x"]'],
  ['"prompt":[', '"x"]'],
  ['"input":[', '{"role":"user","content":"x"}]'],
  ['"input":[{"role":"user","content":[', '{"type":"input_text","text":"x"}]}]'],
  ['"input":[{"type":"function_call_output","call_id":"x","output":[', '{"type":"input_text","text":"x"}]}]'],
  ['"input":"x","tools":[', '{"type":"function","name":"f"}]'],
  ['"input":"x","tools":[{"type":"function","name":"f","parameters":{', '"z":0}}]'],
  ['"max_tokens":9,"messages":[', '{"role":"user","content":"x"}]'],
  ['"max_tokens":9,"messages":[{"role":"user","content":[', '{"type":"text","text":"x"}]}]'],
  [
    '"max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[',
    '{"type":"text","text":"x"}]}]}]'
  ],
  [
    '"max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"f","input":{',
    '"z":0}}]}]'
  ],
  ['"max_tokens":9,"messages":[{"role":"user","content":"x"}],"system":[', '{"type":"text","text":"x"}]'],
  ['"max_tokens":9,"messages":[{"role":"user","content":"x"}],"tools":[', '{"name":"f","input_schema":{}}]']
]
const textPlaces: ReadonlyArray<readonly [before: string, after: string]> = [
  ['"messages":[{"role":"user","content":"', '"}]'],
  ['"messages":[{"role":"', '"}]'],
  ['"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,', '"}}]}]'],
  ['"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"', '"}}]}]'],
  ['"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"', '"}}]}]'],
  ['"messages":[{"role":"user","content":"x"}],"user":"', '"'],
  ['"messages":[{"role":"user","content":"x"}],"', '":0'],
  ['"messages":[{"role":"user","content":"x"}],"stop":"', '"'],
  ['"input":"', '"'],
  ['"prompt":"', '"'],
  ['"input":[{"role":"user","content":"', '"}]'],
  ['"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,', '"}]}]'],
  ['"input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"', '"}]'],
  ['"input":[{"type":"item_reference","id":"', '"}]'],
  ['"input":"x","instructions":"', '"'],
  ['"input":"x","previous_response_id":"', '"'],
  ['"max_tokens":9,"messages":[{"role":"user","content":"', '"}]'],
  [
    '"max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"',
    '"}}]}]'
  ],
  [
    '"max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"',
    '"}]}]'
  ],
  ['"max_tokens":9,"messages":[{"role":"user","content":"x"}],"system":"', '"']
]

interface Body {
  endpoint: string
  model: string
  parts: readonly [before: string, fill: string, after: string]
  bytes: number
}

/** Mostly small bodies, which are read at once; the largest take a second each. */
const size = fc.oneof(
  { weight: 80, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
  { weight: 12, arbitrary: fc.integer({ min: 20_000, max: 500_000 }) },
  { weight: 5, arbitrary: fc.integer({ min: 500_000, max: 5_000_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 5_000_000, max: maxBytes - 1000 }) }
)
const endpoint = fc.constantFrom(
  { endpoint: '/chat/completions', model: 'small' },
  { endpoint: '/chat/completions', model: 'none' },
  { endpoint: '/embeddings', model: 'embedder' },
  { endpoint: '/completions', model: 'writer' },
  { endpoint: '/responses', model: 'small' },
  { endpoint: '/responses', model: 'small' },
  { endpoint: '/responses/input_tokens', model: 'small' },
  { endpoint: '/messages', model: 'small' },
  { endpoint: '/messages', model: 'small' },
  { endpoint: '/messages/count_tokens', model: 'small' }
)
const depth = fc.constantFrom('[', '{"a":', '[[{"b":[')
const hardBody: fc.Arbitrary<Body> = fc.oneof(
  fc
    .record({
      target: endpoint,
      place: fc.constantFrom(...places),
      fill: fc.constantFrom(...Object.keys(fillings)),
      bytes: size
    })
    .map(({ target, place: [before, after], fill, bytes }) => ({
      ...target,
      parts: [before, fill, after] as const,
      bytes
    })),
  fc
    .record({
      target: endpoint,
      place: fc.constantFrom(...textPlaces),
      fill: fc.constantFrom(...Object.keys(texts)),
      bytes: size
    })
    .map(({ target, place: [before, after], fill, bytes }) => ({
      ...target,
      parts: [before, fill, after] as const,
      bytes
    })),
  fc
    .record({ target: endpoint, open: depth, bytes: size })
    .map(({ target, open, bytes }) => ({ ...target, parts: ['"messages":', open, ''] as const, bytes }))
)

/** Holds one body at a time: the largest, and a filling. */
const room = Buffer.alloc(maxBytes + 2_000_000)
/** Characters written at once, because each write has a high fixed cost. */
const blockLength = 16_384

/** @returns the body's bytes, until the next call */
function bytesOf({ model, parts: [before, fill, after], bytes }: Body): Buffer {
  let at = room.write(`{"model":"${model}",${before}`)
  const filling = fillings[fill]
  if (filling === undefined || filling.length === 0) {
    const text = Buffer.from(filling?.(0) ?? texts[fill] ?? fill)
    const end = at + Math.ceil(bytes / text.length) * text.length
    room.fill(text, at, end)
    at = end
  } else {
    for (let index = 0; at < bytes; ) {
      let block = ''
      const length = Math.min(blockLength, bytes - at)
      while (block.length < length) block += filling(index++)
      at += room.write(block, at, 'latin1')
    }
  }
  at += room.write(`${after}}`, at)
  return room.subarray(0, Math.min(at, maxBytes))
}

/**
 * Sends bodies of up to 20 MiB that are hard to read: many names, values or escapes, deep nesting, cut pictures. None
 * may hold the gateway's event loop for too long.
 *
 * @returns how many answers there were, by status, and the longest turn of the loop
 * @throws the first violation, with its body shrunk to the smallest form
 */
export async function fuzzBodies(runs: number, seed: number): Promise<Map<string, number>> {
  const upstream = await startFakeUpstream()
  upstream.answer(({ request, response }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(shortAnswer(request.url!, false))
    upstream.received.length = 0
  })
  const watch = new LoopWatch(upstream.url)
  const { url, secret } = await watch.started()
  const outcomes = new Map<string, number>()

  async function ask(body: Buffer, path: string): Promise<number> {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headersOf(path) }
    const answer = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> })
    const text = await answer.text()
    if (answer.status >= 400) checkFailure(answer.status, text)
    return answer.status
  }

  const property = fc.asyncProperty(hardBody, async (one) => {
    const body = bytesOf(one)
    await watch.assertShort(`${body.length} bytes of ${one.parts.join(' … ')}`, async () => {
      const status = await ask(body, one.endpoint)
      outcomes.set(String(status), (outcomes.get(String(status)) ?? 0) + 1)
    })
  })
  try {
    // After this request the gateway knows the key's plan, and V8 has compiled the code.
    const messages = '"model":"small","messages":[{"role":"user","content":"x"}]'
    await ask(Buffer.from(`{${messages}}`), '/chat/completions')
    await ask(Buffer.from(`{${messages},"max_tokens":9}`), '/messages')
    await ask(Buffer.from('{"model":"small","input":"x"}'), '/responses')
    await fc.assert(property, { numRuns: runs, seed, endOnFailure: true })
  } finally {
    await watch.close()
    await upstream.close()
  }
  watch.addTo(outcomes)
  return outcomes
}
