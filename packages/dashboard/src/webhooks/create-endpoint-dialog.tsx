import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { withHintIfLost } from '../api/api-error.ts'
import { DialogForm } from '../forms/dialog-form.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EndpointFields } from './endpoint-fields.tsx'
import { readEndpointForm } from './read-endpoint-form.ts'
import { refreshWebhooks, type WebhookArea, type WithSecret } from './webhook-area.ts'
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx'

/** Creates an endpoint, shows its secret, and then opens its page. */
export function CreateEndpointDialog({ area, onClose }: { readonly area: WebhookArea; readonly onClose: () => void }) {
  const navigate = useNavigate()
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
          const made = await area.create(values).catch((error: unknown) => {
            throw withHintIfLost(error, 'If the list already has the endpoint, open it there and rotate its secret.')
          })
          setCreated(made)
          await refreshWebhooks(area)
        }}
      >
        <EndpointFields area={area} present={null} />
      </DialogForm>
    </Dialog>
  )
}
