import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { type Answer, call } from '../../api/call.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { read, refresh } from '../../api/queries.ts'
import { isolate, nameOfKey } from '../../format/visible-text.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { SelectField } from '../../forms/select-field.tsx'
import { useAccount } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Spinner } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { modelToTry } from './describe-key.ts'
import { CutStreamsField } from './key-dialogs.tsx'
import type { Key } from './read-key-form.ts'
import { SecretDialog } from './secret-dialog.tsx'

const checkEveryMs = 2000

/** Shows whether the new value of a rotated key is active, and checks again until it is. */
function RotationProgress({ id }: { readonly id: string }) {
  const { data } = useQuery({
    ...read('getKey', { params: { id } }),
    refetchInterval: ({ state }) => (state.data?.key.in_force === true ? false : checkEveryMs),
    // A cached result of an earlier rotation must not count for this one.
    gcTime: 0
  })
  if (data?.key.in_force === true) {
    return (
      <Banner tone="success" title="The new value is active" isAnnounced>
        Your apps can use it now.
      </Banner>
    )
  }
  return (
    <Banner tone="warning" title="The new value is not active yet" isAnnounced>
      <p className="flex items-center gap-2">
        <Spinner /> Until then, the old value may still work. This page checks again on its own.
      </p>
    </Banner>
  )
}

const graces = [
  ['0', 'No time: it stops at once'],
  ['900', '15 minutes'],
  ['3600', '1 hour'],
  ['86400', '1 day']
] as const

export function RotateKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const { models } = useAccount()
  const [rotated, setRotated] = useState<Answer<'rotateKey'>['key'] | null>(null)
  const [attempt, setAttempt] = useState(newIdempotencyKey)
  const [isValueLost, setValueLost] = useState(false)
  const [grace, setGrace] = useState('3600')
  // Without a grace, and after a lost answer, all earlier values stop at once.
  const stopsAtOnce = isValueLost || grace === '0'
  const rotate = async ({ cutsStreams }: { readonly cutsStreams: boolean }) => {
    try {
      const { key } = await call('rotateKey', {
        params: { id: target.id },
        body: { grace_seconds: stopsAtOnce ? 0 : Number(grace), ...(cutsStreams && { cut_streams: true }) },
        idempotencyKey: attempt
      })
      setRotated(key)
    } catch (error) {
      if (!isCode(error, 'already_created')) throw error
      // Do not rotate again without asking: that would end the value in use.
      setValueLost(true)
      setAttempt(newIdempotencyKey())
    }
    await refresh('listKeys', 'getKey', 'listAudit')
  }
  if (rotated !== null) {
    return (
      <SecretDialog
        title={`“${isolate(nameOfKey(target))}” has a new value`}
        secret={rotated.value}
        scope={target.scope}
        model={modelToTry(models, target.models)}
        onClose={onClose}
      >
        {!rotated.in_force && <RotationProgress id={target.id} />}
      </SecretDialog>
    )
  }
  return (
    <Dialog
      title={`Rotate “${isolate(nameOfKey(target))}”`}
      description="The key gets a new value. Its label, limits and history stay the same."
      onClose={onClose}
    >
      <DialogForm
        action={isValueLost ? 'Rotate again' : 'Rotate key'}
        onClose={onClose}
        read={(data) => ({ ok: true, values: { cutsStreams: data.has('cut_streams') } })}
        submit={rotate}
      >
        {isValueLost ? (
          <Banner tone="warning" title="The key has a new value, but it did not reach this page" isAnnounced>
            The previous value keeps working for the time you chose. Rotate again to get another one. All earlier values
            then stop working at once.
          </Banner>
        ) : (
          <SelectField
            name="grace_seconds"
            label="The old value keeps working for"
            hint="Use this time to replace it in your apps."
            value={grace}
            onValueChange={setGrace}
            options={graces}
          />
        )}
        {stopsAtOnce && target.scope === 'inference' && <CutStreamsField />}
      </DialogForm>
    </Dialog>
  )
}
