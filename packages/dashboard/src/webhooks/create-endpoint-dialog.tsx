import { useBlocker, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { DialogForm } from '../forms/dialog-form.tsx'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { textLink } from '../ui/class-names.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { EndpointFields } from './endpoint-fields.tsx'
import { createOnce, readEndpointForm } from './read-endpoint-form.ts'
import { refreshWebhooks, shownEndpoints, type WebhookArea, type WithSecret } from './webhook-area.ts'

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

interface WebhookSecretDialogProps {
  readonly title: string
  readonly secret: string
  /** More about the secret. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

/** Shows a signing secret once. Closing the dialog removes it from the page. */
export function WebhookSecretDialog({ title, secret, children, onClose }: WebhookSecretDialogProps) {
  // Going back by accident must not close the dialog. Redirects to sign-in after the session ends still work.
  useBlocker({ shouldBlockFn: ({ action }) => action !== 'PUSH' && action !== 'REPLACE', enableBeforeUnload: true })
  return (
    <Dialog title={title} onClose={onClose} isDismissable={false} isWide>
      <div className="space-y-5">
        <Banner tone="warning" title="Copy the signing secret now">
          We can’t show it again. If you lose it, rotate the secret.
        </Banner>
        <div className="flex flex-wrap items-center gap-2 rounded-xl border border-line bg-sunken p-3">
          <code data-secret className="min-w-0 flex-1 font-mono text-sm break-all">
            {secret}
          </code>
          <CopyButton text={secret} what="the signing secret" />
        </div>
        {children}
        <p className="text-sm text-ink-soft">
          Your server uses it to check that a message comes from us. Messages are signed by{' '}
          <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer" className={textLink}>
            Standard Webhooks
          </a>
          , which has libraries for most languages.
        </p>
        <DialogActions>
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
