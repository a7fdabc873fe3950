import { KeyRound, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Empty } from '../../ui/states.tsx'
import type { whyNoKeys } from './why-no-keys.ts'

type NoKeysProps = {
  readonly why: ReturnType<typeof whyNoKeys>
  /** The button with which one is made. */
  readonly create: ReactNode
}

/** Instead of a list of keys that has none. */
export function NoKeys({ why, create }: NoKeysProps) {
  switch (why) {
    case 'new':
      return (
        <Empty icon={KeyRound} title="No keys yet" action={create}>
          Create one, and call models with the SDK that you already use.
        </Empty>
      )
    case 'revoked':
      return (
        <Empty icon={KeyRound} title="No keys in use" action={create}>
          Those that were revoked in the last 30 days can still be shown. Create one to call models again.
        </Empty>
      )
    case 'looking':
      return (
        <Empty icon={SearchX} title="Still looking …">
          No key was like that so far.
        </Empty>
      )
    case 'partly':
      return (
        <Empty icon={SearchX} title="No key is like that so far">
          Not all keys could be read.
        </Empty>
      )
    case 'filtered':
      return (
        <Empty icon={SearchX} title="No key is like that">
          Change the filter, or clear it to see every key.
        </Empty>
      )
  }
}
