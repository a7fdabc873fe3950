import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { useState } from 'react'
import { allowGone, withHintIfLost } from '../api/api-error.ts'
import { isolate } from '../format/visible-text.ts'
import { DialogForm } from '../forms/dialog-form.tsx'
import { readNothing } from '../forms/form.tsx'
import { textOf } from '../forms/read-fields.ts'
import { SelectField } from '../forms/select-field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useToast } from '../ui/toast.tsx'
import { WebhookSecretDialog } from './create-endpoint-dialog.tsx'
import { EndpointFields } from './endpoint-fields.tsx'
import { readEndpointForm } from './read-endpoint-form.ts'
import { hostOf, refreshWebhooks, type WebhookArea, type WithSecret } from './webhook-area.ts'

interface EndpointDialogProps {
  readonly area: WebhookArea
  readonly target: WebhookEndpoint
  readonly onClose: () => void
}

/** Changes the address, description or events of an endpoint. */
export function EditEndpointDialog({ area, target, onClose }: EndpointDialogProps) {
  const showToast = useToast()
  return (
    <Dialog title="Edit endpoint" description="Waiting messages also go to the new URL." onClose={onClose}>
      <DialogForm
        action="Save changes"
        onClose={onClose}
        read={readEndpointForm}
        submit={async (values) => {
          await area.change(target.id, values)
          await refreshWebhooks(area)
          showToast('Endpoint saved.')
          onClose()
        }}
      >
        <EndpointFields area={area} present={target} />
      </DialogForm>
    </Dialog>
  )
}

const overlaps = [
  ['0', 'No time: only the new secret signs'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days']
] as const

const maybeRotated =
  'The endpoint may have a new secret already. If you rotate it again, the secret that your server has now stops signing at once.'

/** Replaces the signing secret, and shows the new one. */
export function RotateSecretDialog({ area, target, onClose }: EndpointDialogProps) {
  const [rotated, setRotated] = useState<WithSecret | null>(null)
  if (rotated !== null) {
    const { old_secret_until: until } = rotated.endpoint
    return (
      <WebhookSecretDialog title="The endpoint has a new secret" secret={rotated.secret} onClose={onClose}>
        <p className="text-sm">
          {until === null
            ? 'From now on, messages are signed with this secret alone.'
            : 'Until the time you chose is over, each message has two signatures: one with this secret, one with the old one. Replace the secret on your server before then.'}
        </p>
      </WebhookSecretDialog>
    )
  }
  return (
    <Dialog
      title="Rotate signing secret"
      description="The endpoint gets a new secret. Until you have replaced it on your server, messages can be signed with both."
      onClose={onClose}
    >
      <DialogForm
        action="Rotate secret"
        onClose={onClose}
        read={(data) => ({ ok: true, values: Number(textOf(data, 'overlap_seconds')) })}
        submit={async (overlapSeconds) => {
          const made = await area.rotate(target.id, overlapSeconds).catch((error: unknown) => {
            throw withHintIfLost(error, maybeRotated)
          })
          setRotated(made)
          await refreshWebhooks(area)
        }}
      >
        <SelectField
          name="overlap_seconds"
          label="Sign with the old secret, too, for"
          hint="Choose no time if somebody else may know the old secret."
          defaultValue="86400"
          options={overlaps}
        />
      </DialogForm>
    </Dialog>
  )
}

/** Turns an endpoint off. */
export function TurnOffDialog({ area, target, onClose }: EndpointDialogProps) {
  const showToast = useToast()
  return (
    <Dialog
      title={`Turn off ${isolate(hostOf(target.url))}?`}
      description="It gets no more events, and messages that wait for it are given up. You can turn it on again."
      onClose={onClose}
    >
      <DialogForm
        action="Turn off"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          const turn = async (enabled: boolean) => {
            await area.change(target.id, { enabled })
            await refreshWebhooks(area)
          }
          await turn(false)
          showToast('Endpoint turned off.', 'done', { undo: () => turn(true) })
          onClose()
        }}
      />
    </Dialog>
  )
}

/** Deletes an endpoint. @param props.onDone opens another page: this one has nothing to show */
export function DeleteEndpointDialog({
  area,
  target,
  onDone,
  onClose
}: EndpointDialogProps & { readonly onDone: () => Promise<void> }) {
  const showToast = useToast()
  return (
    <Dialog
      title={`Delete ${isolate(hostOf(target.url))}?`}
      description={
        <>
          <span className="break-all">{target.url}</span> gets no more events. Its secret and its delivery log are
          deleted. This cannot be undone.
        </>
      }
      onClose={onClose}
    >
      <DialogForm
        action="Delete endpoint"
        tone="danger"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          await area.remove(target.id).catch(allowGone)
          onClose()
          await onDone()
          showToast('Endpoint deleted.')
          await refreshWebhooks(area)
        }}
      />
    </Dialog>
  )
}
