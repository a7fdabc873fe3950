import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../api/queries.ts'
import { useUser } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryView } from '../../ui/states.tsx'
import { RemoveSecondFactorDialog } from './remove-second-factor-dialog.tsx'
import { SetUpSecondFactorDialog } from './set-up-second-factor-dialog.tsx'

/** Shows whether signing in asks for a code, and turns it on or off. */
export function SecondFactorCard() {
  const hasPassword = useUser().has_password !== false
  const query = useQuery(read('getSecondFactor'))
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <Card
      title="Second factor"
      description="When it is on, signing in needs your password and a code from an authenticator app."
    >
      <QueryView query={query} lines={1}>
        {({ enabled }) => (
          <>
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-sm">{enabled ? 'The second factor is on.' : 'The second factor is off.'}</p>
              {hasPassword && (
                <Button tone={enabled ? 'plain' : 'primary'} onClick={() => setOpen(true)}>
                  {enabled ? 'Turn off' : 'Turn on'}
                </Button>
              )}
            </div>
            {!hasPassword && <p className="mt-2 text-sm text-ink-soft">To change this, set a password first.</p>}
            {open &&
              (enabled ? <RemoveSecondFactorDialog onClose={close} /> : <SetUpSecondFactorDialog onClose={close} />)}
          </>
        )}
      </QueryView>
    </Card>
  )
}
