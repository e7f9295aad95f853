/**
 * What Stave changes in the published ts-mls 1.6.4 and mlkem 2.7.0 (docs/decisions/0003-mls-engine.md). C: correctness, each
 * with the section of RFC 9420 it restores and the upstream change that agrees with it. S: what a service worker or a
 * pure core needs. P: speed, same results. `times` is how often `from` must occur; anything else stops the install.
 */
export const PACKAGES = { 'ts-mls': '1.6.4', mlkem: '2.7.0' }

const CLIENT = 'ts-mls/dist/src/clientState.js'
const COMMIT = 'ts-mls/dist/src/createCommit.js'
const PROCESS = 'ts-mls/dist/src/processMessages.js'
const SECRETS = 'ts-mls/dist/src/pathSecrets.js'

/** Modules that are replaced whole or added, from this folder. */
export const MODULES = [
  { id: 'P1', from: 'secret-tree.js', to: 'ts-mls/dist/src/secretTree.js' },
  { id: 'P1', from: 'secret-tree.d.ts', to: 'ts-mls/dist/src/secretTree.d.ts' },
  { id: 'P2', from: 'tree-hashes.js', to: 'ts-mls/dist/src/treeHashes.js' },
  { id: 'P5', from: 'byte-keys.js', to: 'ts-mls/dist/src/byteKeys.js' },
]

export const PATCHES = [
  {
    id: 'C1',
    file: CLIENT,
    why: 'An unmerged leaf must be a non-blank descendant: both, not either.',
    rfc: '7.9.2, 12.4.3.1',
    upstream: '94060ac',
    from: `if (tree[nodeIndex]?.nodeType !== "leaf" && !dp.includes(toNodeIndex(i)))`,
    to: `if (tree[nodeIndex]?.nodeType !== "leaf" || !dp.includes(toNodeIndex(i)))`,
  },
  {
    id: 'C1',
    file: CLIENT,
    why: 'Only nodes between the leaf and the parent must list it; those above may have been blanked and filled since.',
    rfc: '12.4.3.1',
    upstream: '94060ac',
    from: `                    const dpNode = tree[parentIdx];\n`,
    to: `                    if (parentIdx === i)\n                        break;\n                    const dpNode = tree[parentIdx];\n`,
  },
  {
    id: 'C1',
    file: CLIENT,
    why: 'Those nodes must list this leaf; they may list more or fewer others.',
    rfc: '12.4.3.1',
    upstream: '94060ac',
    from: `if (!arraysEqual(dpNode.parent.unmergedLeaves, n.parent.unmergedLeaves))`,
    to: `if (!dpNode.parent.unmergedLeaves.includes(unmergedLeaf))`,
  },
  {
    id: 'C2',
    file: CLIENT,
    why: 'A commit needs a path unless all it has is add, psk and reinit.',
    rfc: '12.4',
    upstream: 'ff827dc',
    from: `const needsUpdatePath = allProposals.length === 0 || Object.values(grouped.update).length > 0 || Object.values(grouped.remove).length > 0;`,
    to: `const needsUpdatePath = allProposals.length === 0 || allProposals.some(({ proposal }) => !["add", "psk", "reinit"].includes(proposal.proposalType));`,
  },
  {
    id: 'C3',
    file: COMMIT,
    why: "A path is encrypted under the new epoch's context, its changed extensions included.",
    rfc: '7.6, 12.4.1',
    upstream: '7508e25',
    from: `createUpdatePath(res.tree, toLeafIndex(state.privatePath.leafIndex), state.groupContext,`,
    to: `createUpdatePath(res.tree, toLeafIndex(state.privatePath.leafIndex), { ...state.groupContext, extensions: (res.additionalResult.kind === "memberCommit" ? res.additionalResult.extensions : undefined) ?? state.groupContext.extensions },`,
  },
  {
    id: 'C4',
    file: CLIENT,
    why: 'An empty GroupContextExtensions proposal clears the extensions.',
    rfc: '12.1.7',
    upstream: '8679a38',
    from: `const newExtensions = flattenExtensions(grouped.group_context_extensions);`,
    to: `const newExtensions = grouped.group_context_extensions.length > 0 ? flattenExtensions(grouped.group_context_extensions) : undefined;`,
  },
  {
    id: 'C4',
    file: COMMIT,
    why: 'The same, for who commits.',
    rfc: '12.1.7',
    upstream: '8679a38',
    from: `res.additionalResult.kind === "memberCommit" && res.additionalResult.extensions.length > 0`,
    to: `res.additionalResult.kind === "memberCommit" && res.additionalResult.extensions !== undefined`,
  },
  {
    id: 'C4',
    file: PROCESS,
    why: 'The same, for who processes.',
    rfc: '12.1.7',
    upstream: '8679a38',
    from: `result.additionalResult.kind === "memberCommit" && result.additionalResult.extensions.length > 0`,
    to: `result.additionalResult.kind === "memberCommit" && result.additionalResult.extensions !== undefined`,
  },
  {
    id: 'C5',
    file: PROCESS,
    why: 'Pre-shared keys of private commits are looked up too.',
    rfc: '12.4.2',
    upstream: '6888c63',
    from: `message.privateMessage, emptyPskIndex, cs, action)`,
    to: `message.privateMessage, pskIndex, cs, action)`,
  },
  {
    id: 'C6',
    file: COMMIT,
    why: 'A resync that matches no leaf is an error; stock goes round and round below index zero.',
    rfc: '12.4.3.2',
    upstream: 'd355534',
    from: `    const updatedTree = formerLeafIndex !== undefined ?`,
    to: `    if (formerLeafIndex !== undefined && formerLeafIndex < 0)\n        throw new ValidationError("No leaf matches the KeyPackage that resyncs");\n    const updatedTree = formerLeafIndex !== undefined ?`,
  },
  {
    id: 'C7',
    file: COMMIT,
    why: 'external_pub holds an HPKEPublicKey, which is opaque<V>: with its length before it.',
    rfc: '12.4.3.2',
    upstream: '4e625a5',
    times: 2,
    from: `extensionType: "external_pub", extensionData: externalPub }`,
    to: `extensionType: "external_pub", extensionData: encode(varLenDataEncoder)(externalPub) }`,
  },
  {
    id: 'C7',
    file: COMMIT,
    why: 'The same, read.',
    rfc: '12.4.3.2',
    upstream: '4e625a5',
    from: `await exportSecret(externalPub.extensionData, cs)`,
    to: `await exportSecret(decodeVarLenData(externalPub.extensionData, 0)[0], cs)`,
  },
  {
    id: 'C7',
    file: COMMIT,
    why: 'What the two need.',
    rfc: '12.4.3.2',
    upstream: '4e625a5',
    from: `import { encode } from "./codec/tlsEncoder.js";`,
    to: `import { encode } from "./codec/tlsEncoder.js";\nimport { decodeVarLenData, varLenDataEncoder } from "./codec/variableLength.js";`,
  },
  {
    id: 'C9',
    file: CLIENT,
    why: 'A member is removed when a Remove names its leaf, even if an Add of the same commit fills the place again.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `const selfRemoved = mutatedTree[leafToNodeIndex(toLeafIndex(state.privatePath.leafIndex))] === undefined;`,
    to: `const selfRemoved = grouped.remove.some(({ proposal }) => proposal.remove.removed === state.privatePath.leafIndex);`,
  },
  {
    id: 'C10',
    file: COMMIT,
    why: "The past epoch keeps the ratchets after the commit's key was taken from them, not before.",
    rfc: '9.2',
    upstream: 'none',
    from: `const [commit, _newTree, consumedSecrets] =`,
    to: `const [commit, secretTreeAfterCommit, consumedSecrets] =`,
  },
  {
    id: 'C10',
    file: COMMIT,
    why: 'The same.',
    rfc: '9.2',
    upstream: 'none',
    from: `const [historicalReceiverData, consumedEpochData] = addHistoricalReceiverData(state);`,
    to: `const [historicalReceiverData, consumedEpochData] = addHistoricalReceiverData({ ...state, secretTree: secretTreeAfterCommit });`,
  },
  {
    id: 'C11',
    file: CLIENT,
    why: "A new leaf's keys are compared with the members'; stock compares the members' among themselves alone.",
    rfc: '7.3',
    upstream: 'none',
    from: `export async function validateLeafNodeCredentialAndKeyUniqueness(tree, leafNode, existingLeafIndex) {
    const hpkeKeys = new Set();
    const signatureKeys = new Set();
`,
    to: `export async function validateLeafNodeCredentialAndKeyUniqueness(tree, leafNode, existingLeafIndex) {
    const hpkeKeys = new Set([encryptionKeyOf(leafNode, leafNode.hpkePublicKey)]);
    const signatureKeys = new Set([signatureKeyOf(leafNode, leafNode.signaturePublicKey)]);
`,
  },
  {
    id: 'C11',
    file: CLIENT,
    why: 'It is compared with the tree as the proposals before it leave it: keys of removed leaves may come back.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `        throwIfDefined(await validateKeyPackage(proposal.add.keyPackage, gc, ratchetTree, sentByClient, lifetimeConfig, authService, s));
        const [tree, ws] = await acc;
`,
    to: `        const [tree, ws] = await acc;
        throwIfDefined(await validateKeyPackage(proposal.add.keyPackage, gc, tree, sentByClient, lifetimeConfig, authService, s));
`,
  },
  {
    id: 'C12',
    file: SECRETS,
    why: 'Path secrets end at the highest node of the filtered direct path; a root that stays blank gets none.',
    rfc: '7.4, 12.4.1',
    upstream: 'none',
    from: `        const nextIndex = findFirstNonBlankAncestor(tree, currentIndex);
`,
    to: `        const nextIndex = findFirstNonBlankAncestor(tree, currentIndex);
        if (tree[nextIndex] === undefined)
            break;
`,
  },
  {
    id: 'C12',
    file: SECRETS,
    why: 'The commit secret follows the secret of that highest node, not one that a blank root would have.',
    rfc: '12.4.1',
    upstream: 'none',
    from: `    const rootIndex = root(leafWidth(tree.length));
    const path = await pathToRoot(tree, nodeIndex, pathSecret, kdf);
    const rootSecret = path[rootIndex];
`,
    to: `    const path = await pathToRoot(tree, nodeIndex, pathSecret, kdf);
    const rootSecret = path[topOfPath(tree, nodeIndex)];
`,
  },
  {
    id: 'C12',
    file: SECRETS,
    why: 'Which that is.',
    rfc: '4.1.2',
    upstream: 'none',
    from: `export async function pathToRoot(`,
    to: `export function topOfPath(tree, nodeIndex) {
    const rootIndex = root(leafWidth(tree.length));
    let top = nodeIndex;
    while (top !== rootIndex) {
        const above = findFirstNonBlankAncestor(tree, top);
        if (tree[above] === undefined)
            break;
        top = above;
    }
    return top;
}
export async function pathToRoot(`,
  },
  {
    id: 'C12',
    file: PROCESS,
    why: 'The same, for who processes.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `    const rootIndex = root(leafWidth(tree.length));
    const rootSecret = pathSecrets[rootIndex];
`,
    to: `    const rootSecret = pathSecrets[topOfPath(tree, toNodeIndex(secret.nodeIndex))];
`,
  },
  {
    id: 'C12',
    file: PROCESS,
    why: 'What it needs.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `import { pathToRoot } from "./pathSecrets.js";`,
    to: `import { pathToRoot, topOfPath } from "./pathSecrets.js";`,
  },
  {
    id: 'S1',
    file: CLIENT,
    why: "A lifetime is judged by core/mls at the commit's own time (MLS9), never by the clock of whoever looks.",
    rfc: '7.3',
    upstream: 'none',
    from: `if (sentByClient || config.validateLifetimeOnReceive) {`,
    to: `if (config.validateLifetimeOnReceive) {`,
  },
  {
    id: 'S2',
    file: 'mlkem/esm/src/utils.js',
    why: 'No dynamic import: a service worker refuses it, and workerd has no module named crypto.',
    rfc: '-',
    upstream: 'none',
    from: `        const { webcrypto } = await import("crypto"); // node:crypto\n        return webcrypto;`,
    to: `        return globalThis.crypto.webcrypto;`,
  },
  {
    id: 'S3',
    file: PROCESS,
    why: 'core/mls judges an opened commit before it is applied (MLS5); the one call for both opens it a second time.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `async function processCommit(state, content, wireformat, pskSearch, callback, cs) {`,
    to: `export async function processCommit(state, content, wireformat, pskSearch, callback, cs) {`,
  },
  {
    id: 'S3',
    file: 'ts-mls/dist/src/processMessages.d.ts',
    why: 'Its type.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `/** @public */
export declare function processMessage(`,
    to: `export declare function processCommit(state: ClientState, content: import("./authenticatedContent.js").AuthenticatedContentCommit, wireformat: import("./wireformat.js").WireformatName, pskSearch: PskIndex, callback: IncomingMessageCallback, cs: CiphersuiteImpl): Promise<NewStateWithActionTaken>;
/** @public */
export declare function processMessage(`,
  },
  {
    id: 'P1',
    file: 'ts-mls/dist/src/messageProtection.js',
    why: 'The lazy secret tree has no node for a leaf that has not sent yet; it makes one, or throws the same error.',
    rfc: '9',
    upstream: '#437',
    from: `    const node = secretTree[leafToNodeIndex(toLeafIndex(leafIndex))];\n    if (node === undefined)\n        throw new InternalError("Bad node index for secret tree");\n`,
    to: '',
  },
  {
    id: 'P2',
    file: 'ts-mls/dist/src/treeHash.js',
    why: 'Tree hashes are remembered by node.',
    rfc: '7.8',
    upstream: '#441',
    from: `export async function treeHashRoot(tree, h) {`,
    to: `export { treeHash, treeHashRoot } from "./treeHashes.js";\nasync function stockTreeHashRoot(tree, h) {`,
  },
  {
    id: 'P2',
    file: 'ts-mls/dist/src/treeHash.js',
    why: 'The same.',
    rfc: '7.8',
    upstream: '#441',
    from: `export async function treeHash(tree, subtreeIndex, h) {`,
    to: `async function treeHash(tree, subtreeIndex, h) {`,
  },
  {
    id: 'P3',
    file: 'ts-mls/dist/src/parentHash.js',
    why: 'Parent hashes in linear time: 700,000 hashes at 1,000 members become 2,000.',
    rfc: '7.9',
    upstream: '#442',
    from: `export async function verifyParentHashes(tree, h) {`,
    to: `export { calculateParentHash, verifyParentHashes } from "./treeHashes.js";\nasync function stockVerifyParentHashes(tree, h) {`,
  },
  {
    id: 'P3',
    file: 'ts-mls/dist/src/parentHash.js',
    why: 'The same.',
    rfc: '7.9',
    upstream: '#442',
    from: `export async function calculateParentHash(tree, nodeIndex, h) {`,
    to: `async function calculateParentHash(tree, nodeIndex, h) {`,
  },
  {
    id: 'P4',
    file: 'ts-mls/dist/src/codec/variableLength.js',
    why: 'A list is written in a loop: a chain of closures is slow, and at 8,000 leaves deeper than the stack.',
    rfc: '-',
    upstream: '#195',
    from: `        let totalLength = 0;
        let writeTotal = (_offset, _buffer) => { };
        for (let i = 0; i < data.length; i++) {
            const [len, write] = enc(data[i]);
            const oldFunc = writeTotal;
            const currentLen = totalLength;
            writeTotal = (offset, buffer) => {
                oldFunc(offset, buffer);
                write(offset + currentLen, buffer);
            };
            totalLength += len;
        }
`,
    to: `        let totalLength = 0;
        const writes = [];
        for (let i = 0; i < data.length; i++) {
            const [len, write] = enc(data[i]);
            writes.push([totalLength, write]);
            totalLength += len;
        }
        const writeTotal = (offset, buffer) => {
            for (const [at, write] of writes)
                write(offset + at, buffer);
        };
`,
  },
  {
    id: 'P4',
    file: 'ts-mls/dist/src/codec/tlsEncoder.js',
    why: 'The same for structs.',
    rfc: '-',
    upstream: '#195',
    from: `        let totalLength = 0;
        let writeTotal = (_offset, _buffer) => { };
        for (let i = 0; i < encoders.length; i++) {
            const [len, write] = encoders[i](values[i]);
            const oldFunc = writeTotal;
            const currentLen = totalLength;
            writeTotal = (offset, buffer) => {
                oldFunc(offset, buffer);
                write(offset + currentLen, buffer);
            };
            totalLength += len;
        }
`,
    to: `        let totalLength = 0;
        const writes = [];
        for (let i = 0; i < encoders.length; i++) {
            const [len, write] = encoders[i](values[i]);
            writes.push([totalLength, write]);
            totalLength += len;
        }
        const writeTotal = (offset, buffer) => {
            for (const [at, write] of writes)
                write(offset + at, buffer);
        };
`,
  },
  {
    id: 'P4',
    file: 'ts-mls/dist/src/codec/tlsDecoder.js',
    why: 'A struct is read in a loop, not by copying a growing list for each field.',
    rfc: '-',
    upstream: '#195',
    from: `        const result = decoders.reduce((acc, decoder) => {
            if (!acc)
                return undefined;
            const decoded = decoder(b, acc.offset);
            if (!decoded)
                return undefined;
            const [value, length] = decoded;
            return {
                values: [...acc.values, value],
                offset: acc.offset + length,
                totalLength: acc.totalLength + length,
            };
        }, { values: [], offset, totalLength: 0 });
        if (!result)
            return;
        return [f(...result.values), result.totalLength];
`,
    to: `        const values = [];
        let totalLength = 0;
        for (const decoder of decoders) {
            const decoded = decoder(b, offset + totalLength);
            if (!decoded)
                return undefined;
            values.push(decoded[0]);
            totalLength += decoded[1];
        }
        return [f(...values), totalLength];
`,
  },
  ...['n', 'node'].flatMap((name) =>
    ['leaf', 'parent'].map((kind) => ({
      id: 'P5',
      file: CLIENT,
      why: 'The key of an unchanged node is not encoded anew at each commit.',
      rfc: '7.3',
      upstream: '#438',
      from: `const hpkeKey = bytesToBase64(${name}.${kind}.hpkePublicKey);`,
      to: `const hpkeKey = encryptionKeyOf(${name}.${kind}, ${name}.${kind}.hpkePublicKey);`,
    })),
  ),
  ...['n', 'node'].map((name) => ({
    id: 'P5',
    file: CLIENT,
    why: 'The same.',
    rfc: '7.3',
    upstream: '#438',
    from: `const signatureKey = bytesToBase64(${name}.leaf.signaturePublicKey);`,
    to: `const signatureKey = signatureKeyOf(${name}.leaf, ${name}.leaf.signaturePublicKey);`,
  })),
  {
    id: 'P5',
    file: CLIENT,
    why: 'What they need.',
    rfc: '7.3',
    upstream: '#438',
    from: `import { arraysEqual } from "./util/array.js";`,
    to: `import { encryptionKeyOf, signatureKeyOf } from "./byteKeys.js";`,
  },
  {
    id: 'P8',
    file: 'ts-mls/dist/src/ratchetTree.js',
    why: 'Leaves with another signature key are passed over before both are encoded.',
    rfc: '-',
    upstream: 'none',
    from: `            return constantTimeEqual(encode(leafNodeEncoder)(node.leaf), encode(leafNodeEncoder)(leaf));`,
    to: `            return constantTimeEqual(node.leaf.signaturePublicKey, leaf.signaturePublicKey) && constantTimeEqual(encode(leafNodeEncoder)(node.leaf), encode(leafNodeEncoder)(leaf));`,
  },
  {
    id: 'P10',
    file: CLIENT,
    why: 'The leaves of a joined tree are verified side by side, by sixty-four, and not each when the one before it is done.',
    rfc: '12.4.3.1',
    upstream: '#637',
    from: `            const err = n.leaf.leafNodeSource === "key_package"
                ? await validateLeafNodeKeyPackage(n.leaf, groupContext, false, config, authService, cs.signature)
                : await validateLeafNodeUpdateOrCommit(n.leaf, nodeToLeafIndex(nodeIndex), groupContext, authService, cs.signature);
            if (err !== undefined)
                return err;
`,
    to: `            leafChecks.push(() => n.leaf.leafNodeSource === "key_package"
                ? validateLeafNodeKeyPackage(n.leaf, groupContext, false, config, authService, cs.signature)
                : validateLeafNodeUpdateOrCommit(n.leaf, nodeToLeafIndex(nodeIndex), groupContext, authService, cs.signature));
`,
  },
  {
    id: 'P10',
    file: CLIENT,
    why: 'The same.',
    rfc: '12.4.3.1',
    upstream: '#637',
    from: `    const credentialTypes = new Set();
    for (const [i, n] of tree.entries()) {`,
    to: `    const credentialTypes = new Set();
    const leafChecks = [];
    for (const [i, n] of tree.entries()) {`,
  },
  {
    id: 'P10',
    file: CLIENT,
    why: 'The same, once the shape of the tree is known to be sound.',
    rfc: '12.4.3.1',
    upstream: '#637',
    from: `    const parentHashesVerified = await verifyParentHashes(tree, cs.hash);
    if (!parentHashesVerified)`,
    to: `    for (let from = 0; from < leafChecks.length; from += 64) {
        const errs = await Promise.all(leafChecks.slice(from, from + 64).map((check) => check()));
        const err = errs.find((one) => one !== undefined);
        if (err !== undefined)
            return err;
    }
    const parentHashesVerified = await verifyParentHashes(tree, cs.hash);
    if (!parentHashesVerified)`,
  },
  {
    id: 'P11',
    file: 'ts-mls/dist/src/util/enumHelpers.js',
    why: 'The names of an enumeration are turned round once, not for each value that is read: eight times a leaf, twenty suites long.',
    rfc: '-',
    upstream: 'none',
    from: `    return (n) => (Object.values(t).includes(n) ? reverseMap(t)[n] : undefined);
`,
    to: `    const names = new Map(Object.entries(t).map(([name, value]) => [value, name]));
    return (n) => names.get(n);
`,
  },
  {
    id: 'P11',
    file: 'ts-mls/dist/src/util/enumHelpers.js',
    why: 'The same.',
    rfc: '-',
    upstream: 'none',
    from: `    return (n) => {
        const decoded = enumNumberToKey(rec)(n);
`,
    to: `    const toKey = enumNumberToKey(rec);
    return (n) => {
        const decoded = toKey(n);
`,
  },
  {
    id: 'P9',
    file: 'ts-mls/dist/src/updatePath.js',
    why: 'One set instead of comparing each key of the path with each node of the tree.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `    const pathNodePublicKeysExistInTree = path.nodes.some((node) => tree.some((treeNode) => {
        return treeNode?.nodeType === "parent"
            ? constantTimeEqual(treeNode.parent.hpkePublicKey, node.hpkePublicKey)
            : false;
    }));`,
    to: `    const keysOfPath = new Set(path.nodes.map((node) => encryptionKeyOf(node, node.hpkePublicKey)));
    const pathNodePublicKeysExistInTree = tree.some((treeNode) => treeNode?.nodeType === "parent" && keysOfPath.has(encryptionKeyOf(treeNode.parent, treeNode.parent.hpkePublicKey)));`,
  },
  {
    id: 'P9',
    file: 'ts-mls/dist/src/updatePath.js',
    why: 'What it needs.',
    rfc: '-',
    upstream: 'none',
    from: `import { constantTimeEqual } from "./util/constantTimeCompare.js";`,
    to: `import { encryptionKeyOf } from "./byteKeys.js";\nimport { constantTimeEqual } from "./util/constantTimeCompare.js";`,
  },
]
