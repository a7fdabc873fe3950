import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { countOf } from '../../format/number.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { useUser } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryView } from '../../ui/states.tsx'

const RecoveryCodesDialog = lazyDialog(() => import('./recovery-codes-dialog.tsx'), 'RecoveryCodesDialog')
const RemoveSecondFactorDialog = lazyDialog(() => import('./recovery-codes-dialog.tsx'), 'RemoveSecondFactorDialog')
const SetUpSecondFactorDialog = lazyDialog(() => import('./set-up-second-factor-dialog.tsx'), 'SetUpSecondFactorDialog')

type Opened = 'set-up' | 'remove' | 'codes'

/** Few enough to make new codes. */
const fewCodes = 3

/** Shows whether signing in asks for a code, and turns it on or off. */
export function SecondFactorCard() {
  const query = useQuery(read('getSecondFactor'))
  const hasPassword = useUser().has_password !== false
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  return (
    <Card
      title="Second factor"
      description="When it is on, signing in needs your password and a code from an authenticator app."
    >
      <QueryView query={query} lines={1}>
        {(factor) => (
          <>
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="text-sm">{factor.enabled ? 'The second factor is on.' : 'The second factor is off.'}</p>
              {hasPassword && (
                <Button
                  tone={factor.enabled ? 'plain' : 'primary'}
                  onClick={() => setOpened(factor.enabled ? 'remove' : 'set-up')}
                >
                  {factor.enabled ? 'Turn off' : 'Turn on'}
                </Button>
              )}
            </div>
            {!hasPassword && <p className="mt-2 text-sm text-ink-soft">To change this, set a password first.</p>}
            {factor.enabled && <CodesLeft factor={factor} onMake={() => setOpened('codes')} />}
            {opened === 'set-up' && <SetUpSecondFactorDialog onClose={close} />}
            {opened === 'remove' && <RemoveSecondFactorDialog isRecovered={factor.recovered} onClose={close} />}
            {opened === 'codes' && <RecoveryCodesDialog onClose={close} />}
          </>
        )}
      </QueryView>
    </Card>
  )
}

/** How many recovery codes are left. */
function CodesLeft({ factor, onMake }: { readonly factor: Answer<'getSecondFactor'>; readonly onMake: () => void }) {
  const { recovery_codes_left: left, recovered } = factor
  return (
    <div className="mt-4 space-y-3">
      {recovered && (
        <Banner tone="warning" title="You signed in with a recovery code">
          If you no longer have your authenticator app, turn the second factor off and on again with a new one. For the
          next hour this needs only your password.
        </Banner>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className={`text-sm ${left <= fewCodes ? 'text-warning' : 'text-ink-soft'}`}>
          {left === 0 ? 'No recovery codes are left.' : `${countOf(left, 'recovery code')} left.`}
        </p>
        <Button onClick={onMake}>Make new recovery codes</Button>
      </div>
    </div>
  )
}
