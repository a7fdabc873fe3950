import type { Answer } from '../api/call.ts'
import { nameOfKey } from '../format/key.ts'
import type { Option } from '../ui/select-box.tsx'

/** Keys that can make requests, as options of a filter. */
export const keyOptions = (keys: Answer<'listKeys'>['keys']): Option[] => [
  ['', 'All keys'],
  ...keys
    .filter(({ scope }) => scope === 'inference')
    .map((key) => [key.id, key.status === 'revoked' ? `${nameOfKey(key)} (revoked)` : nameOfKey(key)] as const)
]
