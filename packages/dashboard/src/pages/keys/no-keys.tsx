import { KeyRound, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Empty } from '../../ui/states.tsx'
import type { noKeysReason } from './no-keys-reason.ts'

interface NoKeysProps {
  readonly why: ReturnType<typeof noKeysReason>
  /** The button that creates a key. */
  readonly create: ReactNode
}

/** Replaces an empty list of keys. */
export function NoKeys({ why, create }: NoKeysProps) {
  switch (why) {
    case 'new':
      return (
        <Empty icon={KeyRound} title="No keys yet" action={create}>
          Create a key to call models with the SDK you already use.
        </Empty>
      )
    case 'revoked':
      return (
        <Empty icon={KeyRound} title="No active keys" action={create}>
          Create a key to call models again. “Show revoked keys” lists keys revoked in the last 30 days.
        </Empty>
      )
    case 'searching':
      return (
        <Empty icon={SearchX} title="Searching …">
          Your keys are being searched.
        </Empty>
      )
    case 'filtered':
      return (
        <Empty icon={SearchX} title="No matching keys">
          Change the filter, or clear it to see all keys.
        </Empty>
      )
  }
}
