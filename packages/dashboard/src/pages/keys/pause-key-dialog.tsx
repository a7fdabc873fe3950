import { useState } from 'react'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { nameOfKey } from '../../format/key.ts'
import { isolate } from '../../format/visible-text.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { readNothing } from '../../forms/form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Key } from './read-key-form.ts'

const words = {
  pause: {
    verb: 'Pause',
    done: 'Key paused.',
    effect: 'New requests with it are refused everywhere until you resume it. Requests that already run go on.'
  },
  resume: { verb: 'Resume', done: 'Key resumed.', effect: 'Its requests are accepted again, within its limits.' }
}

/** Asks whether to pause a key, or to resume one that is paused. */
export function PauseKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const showToast = useToast()
  // The page shows the saved state while a change is not active yet. A repeated press must ask for the same again.
  const [pauses] = useState(!target.paused)
  const { verb, done, effect } = pauses ? words.pause : words.resume
  return (
    <Dialog title={`${verb} “${isolate(nameOfKey(target))}”?`} description={effect} onClose={onClose}>
      <DialogForm
        action={`${verb} key`}
        checkAgain="Check again"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          await call('changeKey', { params: { id: target.id }, body: { paused: pauses } })
          await refresh('listKeys', 'getKey', 'getUsageRefusals', 'listAudit')
          showToast(done)
          onClose()
        }}
      />
    </Dialog>
  )
}
