import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DialogForm } from '../forms/dialog-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { createOnce } from './create-endpoint.ts'
import { EndpointFields } from './endpoint-fields.tsx'
import { readEndpointForm } from './read-endpoint-form.ts'
import { refreshWebhooks, shownEndpoints, type WebhookArea, type WithSecret } from './webhook-area.ts'
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx'

/** Creates an endpoint, shows its secret, and then opens its page. */
export function CreateEndpointDialog({ area, onClose }: { readonly area: WebhookArea; readonly onClose: () => void }) {
  const navigate = useNavigate()
  const [create] = useState(() => createOnce(area, new Set(shownEndpoints(area).map(({ id }) => id))))
  const [created, setCreated] = useState<WithSecret | null>(null)
  if (created !== null) {
    return (
      <WebhookSecretDialog
        title="Endpoint created"
        secret={created.secret}
        onClose={() => {
          onClose()
          void navigate({ to: `${area.page}/${created.endpoint.id}` })
        }}
      />
    )
  }
  return (
    <Dialog
      title="Create a webhook endpoint"
      description="Your server is called when something happens."
      onClose={onClose}
    >
      <DialogForm
        action="Create endpoint"
        onClose={onClose}
        read={readEndpointForm}
        submit={async (values) => {
          setCreated(await create(values))
          await refreshWebhooks(area)
        }}
      >
        <EndpointFields area={area} present={null} />
      </DialogForm>
    </Dialog>
  )
}
