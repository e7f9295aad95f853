import type { Dice } from '#core/crypto/random.ts'
import type { Bundle, Client, Context, ConversationId, CoreCryptoModule } from './core-crypto.ts'
import { type Change, clientOf, type Device, EXPORTED_BYTES } from './device.ts'
import { fromWire, toWire } from './wire-format.ts'

const SUITE = 1 // MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519; it has no X-Wing

/** A device that runs OpenMLS. */
export async function openMlsDevice(dice: Dice, module: CoreCryptoModule): Promise<Device> {
  const { uuid, device, id } = clientOf(dice)
  const own = new module.ClientId(new module.Uuid(uuid), new module.DeviceId(device), 'example.org')
  const client: Client = module.CoreCrypto.new(await module.Database.inMemory())
  const bundles: Bundle[] = []
  const transport = {
    sendCommitBundle: async (bundle: Bundle) => void bundles.push(bundle),
    prepareForTransport: async () => new Uint8Array(),
  }
  const credential = await client.transaction(async (context) => {
    await context.mlsInit(own, transport)
    return context.addCredential(module.Credential.basic(SUITE, own))
  })
  let group: ConversationId | undefined
  const within = <T>(run: (context: Context, group: ConversationId) => Promise<T>): Promise<T> =>
    client.transaction((context) => {
      if (group === undefined) throw new Error('in no group')
      return run(context, group)
    })
  const last = (): Bundle => {
    const bundle = bundles.at(-1)
    if (bundle === undefined) throw new Error('it sent no commit')
    return bundle
  }
  const idsOf = async (context: Context, inGroup: ConversationId) =>
    new Map((await context.getClientIds(inGroup)).map((one) => [new TextDecoder().decode(one.copyBytes()), one]))

  async function change(context: Context, inGroup: ConversationId, { adds = [], removes = [] }: Change): Promise<void> {
    if (adds.length > 0) {
      const packages = adds.map((bytes) => new module.KeyPackage(fromWire('key package', bytes)))
      await context.addClientsToConversation(inGroup, packages)
    } else if (removes.length > 0) {
      const known = await idsOf(context, inGroup)
      const gone = removes.flatMap((name) => known.get(name) ?? [])
      await context.removeClientsFromConversation(inGroup, gone)
    } else {
      await context.updateKeyingMaterial(inGroup)
    }
  }

  return {
    engine: 'OpenMLS',
    id,
    keyPackage: () =>
      client.transaction(async (context) =>
        toWire('key package', (await context.generateKeyPackage(credential)).serialize()),
      ),
    create: async (groupId) => {
      const made = new module.ConversationId(groupId)
      await client.transaction((context) => context.createConversation(made, credential))
      group = made
    },
    join: async (welcome) => {
      const message = new module.Welcome(toWire('welcome', welcome))
      group = await client.transaction((context) => context.processWelcomeMessage(message))
    },
    joinBy: async (groupInfo) => {
      const info = new module.GroupInfo(fromWire('group info', groupInfo))
      await client.transaction((context) => context.joinByExternalCommit(info, credential))
      const { commit } = last()
      group = new module.ConversationId(groupIdIn(commit))
      return commit
    },
    commit: async (changes) => {
      await within((context, inGroup) => change(context, inGroup, changes))
      const { commit, welcome } = last()
      return welcome === undefined ? { commit } : { commit, welcome: toWire('welcome', welcome.serialize()) }
    },
    groupInfo: async () => {
      const { payload } = last().groupInfo
      return toWire('group info', payload instanceof Uint8Array ? payload : payload.serialize())
    },
    follow: async (commit) => void (await within((context, inGroup) => context.decryptMessage(inGroup, commit))),
    seal: (plaintext) => within((context, inGroup) => context.encryptMessage(inGroup, plaintext)),
    open: async (message) => {
      const { inner } = await within((context, inGroup) => context.decryptMessage(inGroup, message))
      if (inner.plaintext === undefined) throw new Error('no message')
      return inner.plaintext
    },
    epoch: async () => Number(await within((context, inGroup) => context.conversationEpoch(inGroup))),
    exported: async () =>
      (await within((context, inGroup) => context.exportSecretKey(inGroup, EXPORTED_BYTES))).copyBytes(),
    members: () => within(async (context, inGroup) => [...(await idsOf(context, inGroup)).keys()].toSorted()),
  }
}

/** RFC 9420 section 6: of an MLSMessage that is a PublicMessage, its group id is the first field. */
function groupIdIn(message: Uint8Array): Uint8Array {
  const length = message[4] ?? 0
  return message.slice(5, 5 + length)
}
