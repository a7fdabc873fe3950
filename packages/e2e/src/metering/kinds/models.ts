import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { chatModel, completionModel, embeddingModel, everyPrice } from '../catalog.ts'
import { oddUsages } from './kind.ts'

type Model = Catalog['models'][string]

const counted = (name: string, upstream?: string): Model => ({ ...chatModel(name, upstream), tokenizer: 'o200k_base' })
const reasoning = (name: string, upstream?: string): Model => ({ ...counted(name, upstream), hidesOutput: true })
const priced = (model: Model): Model => ({ ...model, prices: everyPrice })

/** Catalog name → model. The upstream name tells the model server how to behave; markers in a prompt add to it. */
export const meteredModels: Catalog['models'] = {
  chat: chatModel('x'),
  slow: chatModel('x+first-byte-ms=100'),
  paced: counted('x+pace-ms=5'),
  uncounted: chatModel('x+pace-ms=5'),
  cached: chatModel('x+cached-tokens=7'),
  thinking: reasoning('x+reasoning-tokens=20'),
  pondering: reasoning('x+reasoning-tokens=600+think-ms=60+pace-ms=5'),
  outside: reasoning('x+reasoning-tokens=300+odd-usage=outside'),
  billed: counted('x+bills-aborted+pace-ms=5', 'billing'),
  listening: { ...counted('x+pace-ms=5'), audio: { tokensPerSecond: 10 } },
  silent: chatModel('x+no-usage'),
  ...Object.fromEntries(oddUsages.map((kind) => [`odd-${kind}`, counted(`x+odd-usage=${kind}`)])),
  ...Object.fromEntries(
    oddUsages.map((kind) => [`thinking-${kind}`, reasoning(`x+reasoning-tokens=300+odd-usage=${kind}`)])
  ),
  broken: chatModel('x+reset-after=6'),
  ending: counted('x+end-after=6'),
  erring: counted('x+error-after=6'),
  hanging: chatModel('x+hang'),
  stalling: chatModel('x+stall-after=6'),
  refusing: chatModel('x+status=400'),
  writer: completionModel('x'),
  embedder: embeddingModel('x'),
  failing: chatModel('x+status=500', 'failing'),
  resetting: chatModel('x+reset-after=0', 'failing'),
  'priced-failing': priced(chatModel('x+status=500', 'failing')),
  flaky: chatModel('x+status=503+every=8', 'flaky'),
  // The model server counts images as these rules do: in chats and responses, and in messages.
  priced: priced({
    ...counted('x+pace-ms=2'),
    images: { rule: 'tiles', base: 85, perTile: 170 },
    audio: { tokensPerSecond: 10 }
  }),
  'priced-messages': priced({ ...counted('x+pace-ms=2'), images: { rule: 'fixed', tokens: 1600 } }),
  'priced-thinking': priced(reasoning('x+reasoning-tokens=90+think-ms=20+pace-ms=2')),
  'priced-billed': priced(counted('x+bills-aborted+pace-ms=5', 'billing'))
}
