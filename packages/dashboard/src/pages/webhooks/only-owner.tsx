import { OwnerName } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Page } from '../../ui/page.tsx'

/** Shown to members of a team instead of webhook endpoints. */
export function OnlyOwner() {
  return (
    <Page title="Webhooks">
      <Banner>
        Only the owner of the team can see and change webhook endpoints. Ask <OwnerName />.
      </Banner>
    </Page>
  )
}
