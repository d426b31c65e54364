// Messages: processors and memories of all nodes; every message must come once, whole, in order, to a receive it fits.

#include <deque>
#include <set>
#include "driver.h"
#include "design.h"
#include "cubecast_node.h"

// Numbers, masks and codes as a user's program has them.
#define NODE(name) CUBECAST_NODE_##name

// Nodes of all cubes, which know nothing of each other, and of one; words between node and processor have the latter's.
static const unsigned NODES = 1u << DIM, CUBE = 1u << CUBE_DIM;
static const unsigned BLOCKS = 12, QUIET = 2000, KEPT = 64;
static const unsigned ROOM = 1024;  // bytes of a place in memory: a block, or a buffer with guards around it
static const unsigned MOOD = 2000;  // cycles between changes of a node's mood, on average
static const uint32_t FIRST_BYTE = 0x10000, GUARD = 0xA5;
static const uint32_t POOL = FIRST_BYTE + 4 * BLOCKS * ROOM, LAST_BYTE = POOL + BUFFERS * BUFFER_BYTES + ROOM - 1;

struct Options {
    uint64_t messages = 10000, seed = 1, patience = 200000, longest = LARGEST;
    bool steady = false;
    double stall = 0.1;
};

// A message as one of its destinations gets it.
struct Message {
    uint32_t serial, type, length;
    bool received = false, told = false;    // told: it was known by its serial number
    uint64_t post = 0;                      // number of the receive that got it
    uint32_t stored = 0;                    // bytes that it was taken for this message by, if it was not told
    uint8_t bytes[4] = {};
};

// A message that a node is to receive.
struct Due {
    uint32_t source, type, length;
};

struct Place {
    unsigned what = 0;      // 0: free, else 1 + instruction
    uint32_t words[NODE(BLOCK_NEIGHBOUR) + 2 * CUBE_DIM] = {};
    uint32_t room = 0;
    uint64_t post = 0;
    bool system = false;
};

struct Instruct {
    unsigned what, partner;
    uint32_t serial, type, length;
    std::vector<unsigned> to;
};

struct Node {
    std::vector<uint8_t> memory;
    std::deque<std::pair<uint64_t, uint64_t>> reads;                // cycle and word, bit 32: error
    struct Write { uint64_t cycle; uint32_t address, data, strobe; };
    std::deque<Write> writes;
    std::deque<std::pair<unsigned, uint32_t>> doorbells;
    std::deque<Instruct> sends;
    std::deque<Due> dues;
    std::deque<Message> streams[CUBE][2];
    Place places[2 * BLOCKS];                                       // of what is sent, then of receives
    unsigned style = 0;
    uint64_t posts = 0, looked = 0;
    double sends_pace = 1, posts_pace = 1;
    bool read_ready = false, write_ready = false, ringing = false;

    bool any_source() const { return style & 1; }
    bool any_type() const { return style & 2; }
    // Whether a receive that has got a message of type `got` would have taken one of type `other`.
    bool alike(uint32_t got, uint32_t other) const { return any_type() ? !((got ^ other) & NODE(SYSTEM_TYPE)) : got == other; }
};

struct Messages {
    Options options;
    Random random;
    Simulation network;
    Movement movement;
    Digest digest;      // of all accesses to memories
    Node nodes[NODES];
    uint64_t clocks = 0, made = 0, broadcasts = 0, neighbours = 0, deliveries = 0, truncated = 0, bytes = 0, retried = 0;
    uint64_t lent = 0, outstanding = 0, compared = 0;
    uint32_t serials = 0;

    explicit Messages(const Options &given) : options(given), random(given.seed) {}

    static uint8_t content(uint32_t serial, uint32_t length, uint32_t k)
    {
        // What is too short for its serial number is told by its length alone.
        return length < 4 ? 17 * length + k : k < 4 ? serial >> 8 * k : (uint8_t)(Random::mix(serial + ((uint64_t)k << 32)));
    }

    static unsigned first_of(unsigned address) { return address - address % CUBE; }

    uint32_t block_of(unsigned place) const { return FIRST_BYTE + place * ROOM; }
    uint32_t buffer_of(unsigned place) const { return FIRST_BYTE + (2 * BLOCKS + place) * ROOM + 64; }
    uint8_t *at(Node &node, uint32_t address) { return &node.memory[address - FIRST_BYTE]; }

    uint32_t word(Node &node, uint32_t address)
    {
        uint32_t value;
        memcpy(&value, at(node, address), 4);
        return value;
    }

    void store(Node &node, uint32_t address, uint32_t value) { memcpy(at(node, address), &value, 4); }

    uint32_t length()
    {
        const unsigned kind = random.below(10);
        const uint32_t most = kind < 6 ? 40 : kind < 9 ? 2 * BUFFER_BYTES : LARGEST;
        return random.range(0, std::min<uint64_t>(most, options.longest));
    }

    // A new message: its source is to send it, and every destination to receive it.
    void plan()
    {
        const unsigned source = random.below(NODES), first = first_of(source), kind = random.below(20);
        Instruct made_now{NODE(DOORBELL_SEND), 0, serials++, 0, length(), {}};
        made_now.type = random.below(3) | (random.chance(0.1) ? 0x8000 : 0);
        if (kind == 0) {
            made_now.what = NODE(DOORBELL_BROADCAST), broadcasts++;
            for (unsigned to = first; to < first + CUBE; to++)
                if (to != source) made_now.to.push_back(to);
        } else if (kind == 1) {
            made_now.what = NODE(DOORBELL_NEIGHBOURS), neighbours++;
            const unsigned mask = random.range(1, CUBE - 1);
            for (unsigned j = 0; j < CUBE_DIM; j++)
                if (mask >> j & 1) made_now.to.push_back(source ^ 1u << j);
            made_now.partner = made_now.to.size();
        } else {
            // A quarter of all go to one node.
            made_now.to.push_back(source != first && random.chance(0.25) ? first : source ^ random.range(1, CUBE - 1));
            made_now.partner = made_now.to[0] - first;
        }
        for (const unsigned to : made_now.to) {
            nodes[to].dues.push_back({source - first, made_now.type, made_now.length});
            outstanding++;
        }
        nodes[source].sends.push_back(made_now);
        made++;
    }

    // Write a block, and let the doorbell ring.
    void ring(Node &node, unsigned place, unsigned what, const std::vector<uint32_t> &words)
    {
        Place &used = node.places[place];
        used.what = 1 + what;
        memset(used.words, 0, sizeof used.words);
        for (unsigned i = 0; i < words.size(); i++) used.words[NODE(BLOCK_PARTNER) + i] = words[i];
        for (unsigned i = 0; i < NODE(BLOCK_NEIGHBOUR) + 2 * CUBE_DIM; i++)
            store(node, block_of(place) + 4 * i, used.words[i]);
        node.doorbells.push_back({what, block_of(place)});
    }

    int free_place(const Node &node, unsigned from) const
    {
        for (unsigned place = from; place < from + BLOCKS; place++)
            if (!node.places[place].what) return place;
        return -1;
    }

    void send(unsigned address)
    {
        Node &node = nodes[address];
        const int place = free_place(node, 0);
        if (node.sends.empty() || place < 0 || !random.chance(node.sends_pace)) return;
        const Instruct sent = node.sends.front();
        node.sends.pop_front();
        const uint32_t buffer = buffer_of(place);
        for (uint32_t k = 0; k < sent.length; k++) *at(node, buffer + k) = content(sent.serial, sent.length, k);
        std::vector<uint32_t> words = {sent.partner, sent.type, sent.length, buffer, 0, 0, 0x5EED};
        if (sent.what == NODE(DOORBELL_NEIGHBOURS))
            for (const unsigned to : sent.to) words.push_back(to % CUBE), words.push_back(0);
        for (const unsigned to : sent.to)
            nodes[to].streams[address % CUBE][sent.what == NODE(DOORBELL_BROADCAST)].push_back(
                {sent.serial, sent.type, sent.length});
        ring(node, place, sent.what, words);
    }

    void post(unsigned address, unsigned place, const Due &due, uint32_t room, bool system)
    {
        Node &node = nodes[address];
        const uint32_t buffer = buffer_of(place);
        const uint32_t source = node.any_source() ? NODE(BLOCK_PARTNER_ANY_MASK) : due.source;
        const uint32_t type = node.any_type() ? NODE(BLOCK_TYPE_ANY_MASK) | (due.type & NODE(SYSTEM_TYPE)) : due.type;
        for (uint32_t k = 0; k < ROOM - 128; k++) *at(node, buffer - 32 + k) = GUARD;
        Place &used = node.places[place];
        used.room = system ? BUFFER_BYTES : room, used.system = system, used.post = node.posts++;
        ring(node, place, NODE(DOORBELL_RECEIVE), {source, type, room, system ? 0 : buffer, 0, 0, 0x5EED});
    }

    void receive(unsigned address)
    {
        Node &node = nodes[address];
        const int place = free_place(node, BLOCKS);
        if (node.dues.empty() || place < 0 || !random.chance(node.posts_pace)) return;
        const Due due = node.dues.front();
        node.dues.pop_front();
        const bool system = BUFFERS && random.chance(0.1);
        // A room that is too small has place for the serial number.
        const uint32_t least = std::min(due.length, 4u);
        post(address, place, due, system ? 0 : random.chance(0.1) ? random.range(least, due.length) : LARGEST, system);
    }

    // The message that a receive has got: by its serial number, or if that is not all there the oldest one like it. A
    // receive that was looked at before may have been taken for this one, if it has no serial number: it gets another.
    Message *find(Node &node, unsigned source, uint32_t type, uint32_t length, uint32_t stored, const uint8_t *data,
                  std::set<Message *> &tried)
    {
        std::vector<Message *> alike;
        for (auto &stream : node.streams[source])
            for (auto &message : stream) {
                bool same = message.type == type && message.length == length;
                for (uint32_t k = 0; k < 4 && k < stored; k++) same &= data[k] == content(message.serial, length, k);
                if (same && !message.received) return &message;
                if (same && !message.told) alike.push_back(&message);
            }
        for (Message *message : alike) {
            if (!tried.insert(message).second) continue;
            Message *other = find(node, source, type, length, message->stored, message->bytes, tried);
            if (!other) continue;
            other->received = true, other->told = false, other->post = message->post, other->stored = message->stored;
            memcpy(other->bytes, message->bytes, sizeof other->bytes);
            return message;
        }
        return nullptr;
    }

    // Messages of a stream that fit the same receive are received in their order.
    void in_order(unsigned address, unsigned source, const Message &got)
    {
        const Node &node = nodes[address];
        for (auto &stream : nodes[address].streams[source]) {
            const auto own = std::find_if(stream.begin(), stream.end(), [&](const Message &each) { return &each == &got; });
            if (own == stream.end()) continue;
            for (auto each = stream.begin(); each != stream.end(); ++each) {
                if (each == own || !each->received || !each->told || !got.told) continue;
                const Message &older = each < own ? *each : got, &newer = each < own ? got : *each;
                if (node.alike(newer.type, older.type) && older.post > newer.post)
                    fail("wrong", "node %u: message %u of node %u was overtaken by %u", address, older.serial,
                         first_of(address) + source, newer.serial);
                compared++;
            }
            while (stream.size() > KEPT && stream.front().received) stream.pop_front();
            return;
        }
    }

    void complete(unsigned address, unsigned place)
    {
        Node &node = nodes[address];
        Place &used = node.places[place];
        const uint32_t block = block_of(place), flag = word(node, block + 4 * NODE(BLOCK_FLAG));
        const uint32_t status = (flag & NODE(BLOCK_FLAG_STATUS_MASK)) >> NODE(BLOCK_FLAG_STATUS_SHIFT);
        if (used.what == 1 + NODE(DOORBELL_RECEIVE) && status == NODE(STATUS_NO_BUFFER) && used.system) {
            // The next try has a buffer of its own: with this one nobody else would have to wait for it.
            retried++;
            post(address, place, {used.words[NODE(BLOCK_PARTNER)] & NODE(BLOCK_PARTNER_NODE_MASK),
                                  used.words[NODE(BLOCK_TYPE)] & NODE(BLOCK_TYPE_TYPE_MASK), 0}, LARGEST, false);
            return;
        }
        if (word(node, block + 4 * NODE(BLOCK_USER)) != 0x5EED) fail("wrong", "node %u: word USER has changed", address);
        if (used.what != 1 + NODE(DOORBELL_RECEIVE)) {
            if (flag != NODE(COMPLETION_COMPLETE)) fail("wrong", "node %u: a send ended with FLAG %x", address, flag);
            for (unsigned i = NODE(BLOCK_TYPE); i <= NODE(BLOCK_BUFFER); i++)
                if (word(node, block + 4 * i) != used.words[i]) fail("wrong", "node %u: word %u has changed", address, i);
            used.what = 0;
            return;
        }
        const uint32_t source = word(node, block + 4 * NODE(BLOCK_PARTNER));
        const uint32_t type = word(node, block + 4 * NODE(BLOCK_TYPE));
        const uint32_t length = word(node, block + 4 * NODE(BLOCK_LENGTH));
        const uint32_t buffer = word(node, block + 4 * NODE(BLOCK_BUFFER));
        const uint32_t stored = std::min(length, used.room);
        if (source >= CUBE || source == address % CUBE) fail("wrong", "node %u: a message of %u", address, source);
        const uint32_t asked = used.words[NODE(BLOCK_TYPE)] & NODE(BLOCK_TYPE_TYPE_MASK);
        if (!node.alike(type, asked) || !(node.any_source() || source == used.words[NODE(BLOCK_PARTNER)]))
            fail("wrong", "node %u: a receive got type %x of node %u", address, type, first_of(address) + source);
        const uint32_t due = length > used.room ? NODE(STATUS_TRUNCATED) : NODE(STATUS_OK);
        if (status != due || (flag & ~NODE(BLOCK_FLAG_STATUS_MASK)) != NODE(COMPLETION_COMPLETE))
            fail("wrong", "node %u: a receive ended with FLAG %x, %u bytes in %u", address, flag, length, used.room);
        if (used.system ? buffer < POOL || (buffer - POOL) % BUFFER_BYTES || buffer - POOL >= BUFFERS * BUFFER_BYTES
                        : buffer != buffer_of(place))
            fail("wrong", "node %u: a receive ended in buffer %x", address, buffer);
        std::set<Message *> tried;
        Message *const found = find(node, source, type, length, stored, at(node, buffer), tried);
        if (!found)
            fail("wrong", "node %u: a message of node %u, type %x, %u bytes, which was not sent or came before", address,
                 first_of(address) + source, type, length);
        Message &got = *found;
        for (uint32_t k = 0; k < stored; k++)
            if (*at(node, buffer + k) != content(got.serial, length, k))
                fail("wrong", "node %u: byte %u of message %u is wrong", address, k, got.serial);
        if (!used.system)
            for (uint32_t k = 0; k < ROOM - 128; k++)
                if ((k < 32 || k >= 32 + stored) && *at(node, buffer - 32 + k) != GUARD)
                    fail("wrong", "node %u: a byte beside message %u has changed", address, got.serial);
        got.received = true, got.told = stored >= 4, got.post = used.post, got.stored = std::min(stored, 4u);
        memcpy(got.bytes, at(node, buffer), got.stored);
        in_order(address, source, got);
        if (used.system) node.doorbells.push_back({NODE(DOORBELL_RELEASE), buffer}), lent++;
        deliveries++, bytes += stored, truncated += status == NODE(STATUS_TRUNCATED), outstanding--;
        used.what = 0;
        movement.last = clocks;
    }

    void processor(unsigned address)
    {
        Node &node = nodes[address];
        if (!options.steady && random.chance(1.0 / MOOD)) {
            static const double paces[] = {0.01, 0.1, 1, 1};
            node.sends_pace = paces[random.below(4)], node.posts_pace = paces[random.below(4)];
        }
        if (node.doorbells.size() < 2) send(address);
        if (node.doorbells.size() < 2) receive(address);
        // One block in a cycle.
        const unsigned place = node.looked++ % (2 * BLOCKS);
        const uint32_t flag = word(node, block_of(place) + 4 * NODE(BLOCK_FLAG));
        if (node.places[place].what && (flag & NODE(BLOCK_FLAG_COMPLETION_MASK)) == NODE(COMPLETION_COMPLETE))
            complete(address, place);
    }

    bool inside(uint32_t at) const { return at >= FIRST_BYTE && at <= LAST_BYTE; }

    void drive(unsigned address)
    {
        Node &node = nodes[address];
        const bool stalls = options.stall > 0;
        node.read_ready = node.reads.size() < 64 && !(stalls && random.chance(options.stall));
        node.write_ready = node.writes.size() < 64 && !(stalls && random.chance(options.stall));
        network.set(ports::read_ready, address, node.read_ready);
        network.set(ports::write_ready, address, node.write_ready);
        const bool data = !node.reads.empty() && node.reads.front().first <= clocks && !(stalls && random.chance(options.stall));
        network.set(ports::data_valid, address, data);
        if (data) network.set(ports::data_word, address, node.reads.front().second), node.reads.pop_front();
        const bool done = !node.writes.empty() && node.writes.front().cycle <= clocks && !(stalls && random.chance(options.stall));
        network.set(ports::done, address, done);
        if (done) {
            const Node::Write &write = node.writes.front();
            for (unsigned i = 0; i < 4; i++)
                if (write.strobe >> i & 1) *at(node, write.address + i) = write.data >> 8 * i;
            node.writes.pop_front();
        }
        node.ringing = !node.doorbells.empty();
        network.set(ports::doorbell_valid, address, node.ringing);
        if (!node.ringing) return;
        network.set(ports::doorbell_instruction, address, node.doorbells.front().first);
        network.set(ports::doorbell_address, address, node.doorbells.front().second);
    }

    void accessed(unsigned address, uint64_t at, uint64_t what)
    {
        digest.add(clocks << 6 | address), digest.add(at), digest.add(what);
    }

    void take(unsigned address)
    {
        Node &node = nodes[address];
        if (node.ringing && network.item(ports::doorbell_ready, address)) node.doorbells.pop_front();
        if (node.read_ready && network.item(ports::read_valid, address)) {
            const uint32_t from = network.item(ports::read_address, address) << 2;
            const unsigned beats = network.item(ports::read_beats, address) + 1;
            if (!inside(from) || !inside(from + 4 * beats - 1)) fail("wrong", "node %u: a read of %x", address, from);
            accessed(address, from, beats);
            for (unsigned i = 0; i < beats; i++) node.reads.push_back({clocks + 1 + i, word(node, from + 4 * i)});
        }
        if (node.write_ready && network.item(ports::write_valid, address)) {
            const uint32_t to = network.item(ports::write_address, address) << 2;
            if (!inside(to)) fail("wrong", "node %u: a write of %x", address, to);
            const uint32_t data = network.item(ports::write_data, address);
            const uint32_t strobe = network.item(ports::write_strobe, address);
            accessed(address, to, (uint64_t)strobe << 32 | data);
            node.writes.push_back({clocks + 1, to, data, strobe});
        }
        if (network.item(ports::report_valid, address)) fail("wrong", "node %u: the router reports a fault", address);
    }

    void begin()
    {
        for (unsigned address = 0; address < NODES; address++) processor(address), drive(address);
        network.settle();
    }

    void end()
    {
        for (unsigned address = 0; address < NODES; address++) take(address);
        network.edge();
        clocks++;
        if (movement.ended(clocks, options.patience))
            fail("standstill", "no message has come for %" PRIu64 " cycles, %" PRIu64 " are waited for", options.patience,
                 outstanding);
    }

    void clock() { begin(), end(); }

    void set(unsigned number, uint64_t value)
    {
        network.drive(ports::control_address, number);
        network.drive(ports::control_write, 1);
        network.drive(ports::control_write_data, value);
        network.settle(), network.edge();
        network.drive(ports::control_write, 0);
    }

    uint32_t get(unsigned address, unsigned number)
    {
        network.drive(ports::control_address, number);
        clock();
        begin();
        const uint32_t value = network.item(ports::control_read_data, address);
        end();
        return value;
    }

    bool busy() const
    {
        for (const auto &node : nodes) {
            if (!node.sends.empty() || !node.doorbells.empty() || !node.reads.empty() || !node.writes.empty()) return true;
            for (const auto &place : node.places)
                if (place.what) return true;
        }
        return outstanding;
    }

    void run()
    {
        for (unsigned address = 0; address < NODES; address++) {
            Node &node = nodes[address];
            node.memory.assign(LAST_BYTE + 1 - FIRST_BYTE, GUARD);
            // Receives of a node are of one kind, so that none takes a message that another one waits for.
            node.style = address % 4;
        }
        set(NODE(MEMORY_FIRST_WORD), FIRST_BYTE), set(NODE(MEMORY_LAST_WORD), LAST_BYTE);
        set(NODE(BUFFERS_WORD), POOL), set(NODE(ENABLE_WORD), 1);
        while (made < options.messages || busy()) {
            for (unsigned i = 0; made < options.messages && outstanding < 16 * NODES && i < 4; i++) plan();
            clock();
        }
        for (unsigned i = 0; i < QUIET; i++) clock();
        for (unsigned address = 0; address < NODES; address++) {
            const uint32_t free = get(address, NODE(FREE_WORD));
            if (free != BUFFERS) fail("wrong", "node %u: %u buffers are free at the end", address, free);
        }
        if (busy()) fail("wrong", "something moves at the end");
    }

    uint64_t counted(unsigned counter)
    {
        uint64_t sum = 0;
        for (unsigned address = 0; address < NODES; address++) sum += get(address, NODE(COUNTER_WORD(counter)));
        return sum;
    }
};

// Arguments: the members of Options. Status: 0 drained, 1 not, 2 an unknown argument.
int main(int argc, char **argv)
{
    Options options;
    Arguments arguments;
    arguments.add("messages", options.messages).add("seed", options.seed).add("patience", options.patience);
    arguments.add("stall", options.stall).add("longest", options.longest).add("steady", options.steady);
    if (!arguments.take(argc, argv)) return 2;
    Messages *messages = new Messages(options);
    const double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const Failure failure = outcome_of(*messages);
    Json line;
    line.add("outcome", failure.outcome).add("text", failure.text).add("clocks", messages->clocks);
    line.add("messages", messages->made).add("broadcasts", messages->broadcasts);
    line.add("neighbours", messages->neighbours).add("deliveries", messages->deliveries);
    line.add("truncated", messages->truncated).add("bytes", messages->bytes).add("lent", messages->lent);
    line.add("without_buffer", messages->retried).add("compared", messages->compared);
    if (failure.outcome == "drained") {
        line.add("unexpected", messages->counted(NODE(COUNTER_UNEXPECTED)));
        line.add("postponed", messages->counted(NODE(COUNTER_POSTPONED)));
        line.add("rewinds", messages->counted(NODE(COUNTER_REWINDS)));
    }
    line.add("accesses", messages->digest.value);
    line.add("seconds", seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun, 1);
    line.print();
    return failure.outcome != "drained";
}
