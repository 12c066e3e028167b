#include "fuzz/inputs.h"

#include <nlohmann/json.hpp>

#include "fuzz/targets.h"
#include "megascale/checkpoint/manifest.h"
#include "megascale/checkpoint/safetensors.h"
#include "megascale/comm/bootstrap/rank_record.h"
#include "megascale/comm/store/embedded/protocol.h"
#include "megascale/config/load.h"
#include "megascale/control/driver_settings.h"
#include "megascale/control/driver_state.h"
#include "megascale/control/message_text.h"
#include "megascale/control/remote/control_messages.h"
#include "megascale/control/secure/join_message.h"
#include "megascale/control/secure/join_token.h"
#include "megascale/control/secure/key.h"
#include "megascale/control/secure/openssl.h"
#include "megascale/data/dataset_info.h"
#include "megascale/data/prepare_record.h"
#include "megascale/data/tokenizers/bpe_trainer.h"
#include "megascale/diagnose/baseline.h"
#include "megascale/diagnose/report_text.h"
#include "megascale/parallel/schedule_file.h"
#include "megascale/train/reference_scores.h"

namespace megascale::fuzz {
namespace {

using namespace std::string_literals;

Subject of_config() {
  return {
      "config",
      config,
      {to_toml(Config{}), "[model]\ntype = \"llama\"\nnum-layers = 4\n",
       "[data]\ndata_path = [\"a\", 'b']\n[observe]\ntrace_steps = [1]",
       "train.seed = 0x10\n[parallel]\nworld_size = 8\ntensor_model_parallel_size = 4 # "
       "four\n[optimizer]\nlr = 1e-3"},
      {"[train]\n", "\nlr = 1\n", "nan", "inf", "9223372036854775807", "-1", "0", "\"", "[[x]]",
       "{a = 1}", "\\u0000", "\"\"\"", "1979-05-27T07:32:00Z", "[[[[[[[[", "\nnum_layers = 2\n"}};
}

Subject of_config_override() {
  return {"config_override",
          config_override,
          {"model.num_layers=4", "data.data_path=a,b", "data.data_path=[\"a\", \"b\"]",
           "train.run_dir=\"x\"", "optimizer.lr=1e-3", "observe.trace_steps=1,2",
           "model.type=llama", "data.shuffle=false"},
          {"=", ".", ",", "[", "]", "\"", "\n", "9", "-", "nan", "#", "\\"}};
}

Subject of_jsonl() {
  return {"jsonl",
          jsonl,
          {"{\"text\": \"a\\u00e9\\n\"}\n{\"id\": [1, {\"x\": null}], \"text\": \"b\"}\n",
           "\n{\"text\":\"\\ud83d\\ude00\"}", "{\"text\": \"é\"}\r\n"},
          {"\n", "\"text\"", "[[[[[[", "\\u0000", "1e999", "null", "{", "}", "\xff", "\\ud800",
           "\xef\xbb\xbf"}};
}

Subject of_conversation() {
  return {"conversation",
          conversation,
          {"{\"messages\": [{\"role\": \"system\", \"content\": \"a\"}, {\"role\": \"user\", "
           "\"content\": \" b\\n\"}, {\"role\": \"assistant\", \"content\": \"\\u00e9 \"}]}",
           "{\"prompt\": \"a\", \"completion\": \"b\"}",
           "{\"messages\": [{\"role\": \"assistant\", \"content\": \"a\", \"weight\": 1}]}"},
          {"\"role\"", "\"content\"", "\"weight\": 0,", "\"tool_calls\": [],", "null", "[[[[[[",
           "\\u0000", "\\ud800", "\\u00a0", "\xff", "assistant", "user", "system", "{}", ","}};
}

Subject of_preference() {
  return {"preference",
          preference,
          {"{\"prompt\": \"a\", \"chosen\": \"b\", \"rejected\": \"c\"}",
           "{\"prompt\": [{\"role\": \"user\", \"content\": \"a\"}], \"chosen\": [{\"role\": "
           "\"assistant\", \"content\": \"b\"}], \"rejected\": [{\"role\": \"assistant\", "
           "\"content\": \"c\"}]}",
           "{\"chosen\": [{\"role\": \"user\", \"content\": \"a\"}, {\"role\": \"assistant\", "
           "\"content\": \"b\"}], \"rejected\": [{\"role\": \"user\", \"content\": \"a\"}, "
           "{\"role\": \"assistant\", \"content\": \"c\"}]}"},
          {"\"role\"", "\"content\"", "\"chosen\"", "\"rejected\"", "\"prompt\"", "null", "[[[[[[",
           "\\u0000", "\\ud800", "\xff", "assistant", "user", "system", "{}", ","}};
}

Subject of_prompt_file() {
  return {
      "prompt_file",
      prompt_file,
      {"{\"prompt\": \"a\"}\n\n{\"prompt\": [1, 2]}", "one\ntwo \r\n", "\n{\"prompt\": \"\\n\"}"},
      {"\"prompt\"", "[1]", "-1", "1e3", "18446744073709551616", "\n", "{", "\xff", "\\ud800",
       "null"}};
}

Subject of_task_file() {
  return {
      "task_file",
      task_file,
      {"{\"context\": \"a\", \"choices\": [\"b\", \"c\"], \"answer\": 1}",
       "{\"query\": \"\", \"choices\": [\"b\", \"c\"], \"gold\": \"c\"}",
       "{\"context\": \"a\", \"continuation\": \" b\"}\n\n{\"context\": \"\", \"target\": \"b\"}",
       "{\"text\": \"a b\"}"},
      {"\"answer\": 0", "\"gold\": -1", "\"choices\"", "\"text\"", "\"continuation\"", "[]", "\"\"",
       "18446744073709551615", "\n", "\xff", "null", "0.5"}};
}

Subject of_token_ids() {
  std::string header = "{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  const std::string npy = "\x93NUMPY\1\0\x76\0"s + header + "\n" + "\1\0\7\0\2\0"s;
  return {"token_ids",
          token_ids,
          {"\x4"
           "1 2, 7 3\n\n999\n"s,
           "\x5\1\0\7\0\xe7\3"s, "\x6\1\0\0\0\7\0\0\0"s, "\x7"s + npy},
          {"\0\0"s, "\0\0\0\0"s, "7 ", "\n", "-1", "1000", "(3,)", "'<i8'", "(,)", "'descr'"}};
}

Subject of_dataset_info() {
  const checkpoint::TokenizerRecord tokenizer{
      .name = "a.json", .fingerprint = "f", .vocab_size = 9, .eod = 0, .files = {}};
  return {
      "dataset_info",
      dataset_info,
      {to_text(DatasetInfo{.tokenizer = tokenizer, .documents = 1, .tokens = 5, .text_nbytes = 9}),
       to_text(DatasetInfo{})},
      {"null", "-1", "1", "9223372036854775807", "[]", "{}", "\"eod\"", ",", "\"files\": [], ",
       "[[[[[[", "\xff"}};
}

Subject of_prepare_record() {
  PrepareRecord record{.settings = {{"format", "text"}},
                       .inputs = {{.path = "/a", .nbytes = 9, .modified_ns = -1}},
                       .place = {.offset = 4},
                       .output = {.tokens = 4, .open_tokens = 4},
                       .text_nbytes = 4};
  const std::string one = to_text(record);
  record.output.continued = {1, 2};
  return {"prepare_record",
          prepare_record,
          {one, to_text(record)},
          {"null", "-1", "1", "true", "18446744073709551615", "[]", "{}", "\"x\": \"y\"", ",",
           "[[[[[[", "\xff"}};
}

Subject of_index() {
  const std::string header = "MMIDIDX\0\0\1\0\0\0\0\0\0\0"s;
  const std::string two = "\12\0\0\0"s + header + "\10\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"s +
                          "\3\0\0\0\2\0\0\0"s + "\0\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0"s +
                          "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"s;
  const std::string none =
      "\0\0\0\0"s + header + "\4\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"s + "\0\0\0\0\0\0\0\0"s;
  return {"index",
          index,
          {two, none, two + "\1\1"s},
          {"\0\0\0\0"s, "\xff\xff\xff\xff\xff\xff\xff\x7f"s, "\1\0\0\0\0\0\0\0"s}};
}

std::string safetensors_file(std::vector<checkpoint::StoredTensor> tensors) {
  std::string file = checkpoint::make_safetensors_header(tensors, {{"format", "pt"}});
  return file + std::string(tensors.back().end, 'x');
}

Subject of_safetensors() {
  return {
      "safetensors",
      safetensors,
      {safetensors_file({{.name = "a", .shape = {2, 3}},
                         {.name = "b\n", .type = checkpoint::StoredType::bfloat16, .shape = {}}}),
       safetensors_file(
           {{.name = "w", .type = checkpoint::StoredType::float8_e4m3, .shape = {3, 5}},
            {.name = "w_scale_inv", .shape = {2, 1}}}),
       "\2\0\0\0\0\0\0\0{}"s,
       "\x38\0\0\0\0\0\0\0{\"t\":{\"dtype\":\"U8\",\"shape\":[0,3],\"data_offsets\":[0,0]}} "s},
      {"\"t\"", ":{}", "[[[[", "-1", "1e9", "null", "18446744073709551615", "__metadata__",
       "\"F32\"", "\"I64\"", "\xff", ",", "4294967296,4294967296", "\0\0\0\0\0\0\0\x80"s,
       "\\u0000"}};
}

Subject of_manifest() {
  checkpoint::Manifest manifest{.generation = std::string(32, 'a'),
                                .world_size = 2,
                                .state = {.step = 200, .seed = -1, .config = "[model]\n"},
                                .shards = {}};
  const std::string digest(32, '0');
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    const auto row = rank * 2;
    manifest.shards.push_back(
        {"shard-" + std::to_string(rank),
         rank,
         512 + 24,
         digest,
         {{"t", DType::float32, {4, 3}, {{row, 0}, {2, 3}}, 512, 536, digest}}});
  }
  const auto body = [](const checkpoint::Manifest& of) {
    const std::string text = to_text(of);
    return text.substr(0, text.rfind("\n,\"digest\""));
  };
  const std::string two = body(manifest);
  manifest.shards.clear();
  return {"manifest",
          fuzz::manifest,
          {two, body(manifest)},
          {"\"rank\"", "0", "1", "-1", "9223372036854775807", "[]", "[[[[[[", "{}", ",", "null",
           "\"..\"", "\"F64\"", "\"shards\": [], ", "4611686018427387904", "\xff", "\\u0000", "/"}};
}

Subject of_reference_scores() {
  const auto body = [](std::vector<std::vector<double>> sets) {
    const std::string bytes =
        train::to_bytes({.data = "da", .weights = std::string(32, 'b'), .sets = std::move(sets)});
    return bytes.substr(0, bytes.size() - 32);
  };
  return {"reference_scores",
          fuzz::reference_scores,
          {body({{-1.5, -2.25}, {}}), body({{}}), body({{0.0}, {1.0, -3.0}})},
          {"\"sequences\"", "[0]", "[1,2]", "-1", "1e3", "\"x\"", "18446744073709551615", "\n",
           "[[[[", "null", "\xff", "\\u0000", "\"version\":2", "\0\0\0\0\0\0\xf8\x7f"s}};
}

Subject of_model_json() {
  return {
      "model_json",
      model_json,
      {R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 8, "n_head": 2, "n_positions": 4,
           "vocab_size": 9, "n_inner": null, "activation_function": "gelu_new"})",
       R"({"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 4,
           "vocab_size": 9, "rope_scaling": null, "rope_theta": 1e4, "hidden_act": "silu"})",
       R"({"model_type": "gpt_neox", "num_hidden_layers": 1, "hidden_size": 16, "intermediate_size": 16,
           "num_attention_heads": 2, "max_position_embeddings": 4, "vocab_size": 9, "rotary_pct": 0.25,
           "rope_scaling": {"type": "yarn", "factor": 2, "mscale": 1, "mscale_all_dim": 1}})",
       R"({"model_type": "phi3", "num_hidden_layers": 1, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "max_position_embeddings": 16, "vocab_size": 9,
           "original_max_position_embeddings": 4,
           "rope_scaling": {"type": "longrope", "short_factor": [1, 1.5], "long_factor": [2, 3.5]}})",
       R"({"model_type": "gemma3_text", "num_hidden_layers": 3, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "vocab_size": 9,
           "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
           "rope_parameters": {"full_attention": {"rope_theta": 1e6, "rope_type": "dynamic", "factor": 2},
                               "sliding_attention": {"rope_type": "default"}}})",
       R"({"model_type": "mixtral", "num_hidden_layers": 2, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 4,
           "vocab_size": 9, "num_local_experts": 4, "num_experts_per_tok": 2})",
       R"({"model_type": "qwen2_moe", "num_hidden_layers": 4, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 4,
           "vocab_size": 9, "num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 4,
           "shared_expert_intermediate_size": 8, "decoder_sparse_step": 2, "mlp_only_layers": []})",
       R"({"model_type": "qwen3_moe", "num_hidden_layers": 5, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "vocab_size": 9,
           "max_position_embeddings": 4, "num_experts": 4, "num_experts_per_tok": 2,
           "moe_intermediate_size": 4, "norm_topk_prob": true, "mlp_only_layers": [0, 1, 3]})",
       R"({"model_type": "deepseek", "num_hidden_layers": 5, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "max_position_embeddings": 4, "vocab_size": 9,
           "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 4,
           "n_shared_experts": 2, "first_k_dense_replace": 1, "moe_layer_freq": 2})",
       R"({"model_type": "glm4_moe", "num_hidden_layers": 3, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "vocab_size": 9,
           "max_position_embeddings": 4, "n_routed_experts": 4, "num_experts_per_tok": 2,
           "moe_intermediate_size": 4, "n_shared_experts": 1, "first_k_dense_replace": 1,
           "routed_scaling_factor": 2.5, "num_nextn_predict_layers": 1})",
       R"({"model_type": "deepseek_v3", "num_hidden_layers": 2, "hidden_size": 8, "intermediate_size": 16,
           "num_attention_heads": 2, "num_key_value_heads": 2, "q_lora_rank": 4, "kv_lora_rank": 4,
           "qk_nope_head_dim": 4, "qk_rope_head_dim": 2, "v_head_dim": 4, "max_position_embeddings": 4, "vocab_size": 9,
           "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 4,
           "n_group": 1, "topk_group": 1, "n_shared_experts": 1, "first_k_dense_replace": 1,
           "quantization_config": {"activation_scheme": "dynamic", "fmt": "e4m3",
             "quant_method": "fp8", "weight_block_size": [128, 128]}})"},
      {"\"decoder_sparse_step\": 2, ",
       "\"mlp_only_layers\": [1], ",
       "\"num_experts_per_tok\": 1, ",
       "\"num_experts\": 2, ",
       "\"moe_layer_freq\": 3, ",
       "\"n_shared_experts\": 3, ",
       "\"n_inner\": 3, ",
       "\"weight_block_size\": [1, 0], ",
       "\"head_dim\": 6, ",
       "0",
       "-1",
       "1e400",
       "1e-3",
       "null",
       "true",
       "[]",
       "{",
       "\"tie_word_embeddings\": true, ",
       "\"rope_parameters\": {}, ",
       "\xff",
       "99999999999"}};
}

Subject of_adapter_settings() {
  return {"adapter_settings",
          adapter_settings,
          {R"({"peft_type": "LORA", "r": 8, "lora_alpha": 16, "bias": "none", "use_dora": false})",
           R"({"peft_type": "LORA", "r": 1, "lora_alpha": 0.5, "rank_pattern": {}})"},
          {"\"r\"", "\"lora_alpha\"", "\"modules_to_save\": null,", "-1", "0", "1e308", "1e999",
           "9223372036854775807", "[[[[", "{}", "null", "true", "\xff", "\\u0000", ","}};
}

Subject of_routes() {
  const auto number = [](std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  // Version, choices of a token, experts, layers with experts, tokens (8 bytes).
  std::string file = "MSROUTES" + number(1) + number(2) + number(5) + number(2) + number(3) +
                     number(0) + std::string(32, '\0');
  const std::string unwritten = file + std::string(96, '\0'), scores(24, '?');
  for (const std::uint32_t layer : {0, 1}) {
    for (const std::uint32_t token : {0, 1, 2})
      file += number(token + layer + 1) + number(token + layer + 2);
    file += scores;
  }
  return {"routes",
          routes,
          {file, unwritten},
          {number(0), number(1), number(5), number(6), number(0xffffffffU), "MSROUTES",
           std::string(8, '\0')}};
}

Subject of_recorded_loads() {
  return {"recorded_loads",
          recorded_loads,
          {"{\"step\": 1, \"routing\": {\"layers\": [1, 3], \"loads\": [[4, 2, 1, 1], [8, 8, 0, "
           "0]]}}\n",
           "{\"step\": 1}\n{\"routing\": {\"layers\": [5], \"loads\": [[9, 9, 9, 9]]}}\n"
           "{\"routing\": {\"layers\": [5], \"loads\": [[0, 7, 0, 7.0]]}}"},
          {"\n", "-1", "1e300", "1e999", "9007199254740992", "18446744073709551615", "999", "null",
           "[]", "[[[[[[", "{}", ",", "0, 0, ", "\xff", "\"layers\": [1], ", "\\u0000"}};
}

Subject of_schedule() {
  return {"schedule",
          schedule,
          {to_text(parallel::zero_bubble_h1(2, 3)), to_text(parallel::interleaved(2, 2, 2)),
           "megascale-schedule 1\nstages 1\nmicro_batches 1\nstage 0: F0\nstage 0: B0 # end\n"},
          {"stage 0:", "\nstages 3\n", "chunks", " ", "\n", "F0", " B1/1 ", "W", "/", "#", "65535",
           "99999999999", "name ", "\nstage 65535: F0\n", "00"}};
}

Subject of_store_frames() {
  using namespace comm;
  std::string writes, waits;
  append_frame(writes, {.op = StoreOp::set_new, .keys = {"rank/0", "k"}, .values = {"value", ""}});
  append_frame(writes, {.op = StoreOp::add, .keys = {"arrived"}, .number = -1});
  append_frame(waits,
               {.op = StoreOp::get, .keys = {"a", "b", "c"}, .timeout = std::chrono::hours(1)});
  append_frame(waits, {.op = StoreOp::erase, .keys = {"a"}});
  return {"store_frames",
          store_frames,
          {writes, waits},
          {std::string("\1\0\0\0", 4), "\xff\xff\xff\xff", std::string("\0\0\0\1", 4),
           std::string(4, '\0'), "a"}};
}

Subject of_store_records() {
  using namespace comm;
  std::string reply;
  RankRecord record{.rank = 3, .host = {"host", "id", 17}};
  record.endpoint = std::string("\0\1", 2);
  append_frame(reply,
               {.status = StoreStatus::timed_out, .number = 7, .values = {"x", std::nullopt, ""}});
  return {
      "store_records",
      store_records,
      {reply.substr(4), encode(Verdict{.error = Error(ErrorCode::timeout, "rank 3")}),
       encode(record),
       encode(LaunchRecord{.rank = 1, .world_size = 2, .hostname = "h", .digest = {.plan = "p"}})},
      {std::string("\1\0\0\0", 4), "\xff\xff\xff\xff", std::string(4, '\0'), "MGRANK01", "a"}};
}

Subject of_control_messages() {
  control::Heartbeat heartbeat{.job = "j", .host = "a", .incarnation = 1, .sequence = 2};
  heartbeat.ranks = {{.rank = 1, .process_id = 9, .signal = 9, .end_number = 1}};
  heartbeat.findings = {{.rank = 1, .keyword = "memory", .line = "x"}};
  heartbeat.checkpoints = {10, 20};
  control::Order order{.number = 1, .host = "a", .arguments = {"m", "t"}};
  control::DriverState state;
  state.session = 1;
  state.outstanding = {order};
  state.members = {{.host = "a", .incarnation = 1}};
  state.blocked = {{"b", "why"}};
  state.quarantined = {{"c", {.times = 1, .until_ns = 2}}};
  state.incident = control::Incident{.number = 1, .host = "a"};
  state.silent_hosts["a"] = *state.incident;
  state.end = control::JobEnd{.exit_code = 3, .text = "why"};
  return {
      "control_messages",
      control_messages,
      {to_text(heartbeat), to_text(control::Reply{.sequence = 1, .orders = {order}}),
       to_text(state), to_text(control::DriverSettings{}),
       to_text(control::AttachRequest{.host = "a"}),
       to_text(control::AttachReply{
           .job = "j", .directory = "/d", .run_dir = "/r", .checkpoints = "/c"}),
       to_text(control::BlockRequest{.host = "a", .why = "x"}),
       to_text(control::StatusRequest{.with_ports = true}),
       to_text(control::SubmitReply{.job = "j"})},
      {"-1", "0", "1e400", "1e-3", "18446744073709551615", "4611686018427387905", "null", "true",
       "[]", "{}", "[[[[[[[[[[[[[[[[[[", "\"\"", "\"ended\"", "\"stop\"", "\xff", "\\u0000"}};
}

Subject of_diagnose_texts() {
  const diagnose::HostReport report{
      .host = "a",
      .compute_kind = "AVX2",
      .compute_digest = "11",
      .checks = {{.name = "memory",
                  .text = "1 of 1",
                  .rates = {{.name = "memory.copy", .value = 1.5, .unit = "GB/s"}},
                  .seconds = 0.25}}};
  return {"diagnose_texts",
          diagnose_texts,
          {to_text(diagnose::make_baseline(report, 1)), diagnose::to_json(report).dump()},
          {"-1", "0", "1e400", "1e300", "18446744073709551615", "null", "true", "[]", "{}",
           "[[[[[[[[[[[[[[[[[[", "\"\"", "\"failed\"", "\"format\": 1", "\xff", "\\u0000"}};
}

Subject of_tokenizer_json() {
  tokenizers::BpeTrainer trainer({.vocab_size = 280});
  for (int i = 0; i < 3; ++i) trainer.add(" The cafe aaaa\n");
  return {
      "tokenizer_json",
      tokenizer_json,
      {trainer.to_tokenizer_json(trainer.train()),
       R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Prepend",
           "prepend": "_"}, {"type": "Replace", "pattern": {"String": " "}, "content": "_"}]},
           "model": {"type": "BPE", "unk_token": "u", "fuse_unk": true, "byte_fallback": true,
           "vocab": {"u": 0, "a": 1, "aa": 2, "_": 3, "<0x0A>": 4}, "merges": ["a a"]},
           "added_tokens": [{"id": 5, "content": "The", "lstrip": true, "single_word": true}],
           "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"},
           {"type": "Strip", "content": "_", "start": 1, "stop": 0}]}})",
       R"({"pre_tokenizer": {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"},
           "model": {"type": "Unigram", "unk_id": 0, "vocab": [["u", 0], ["_a", -1], ["a", -2]]},
           "decoder": {"type": "Metaspace", "replacement": "_"}})",
       R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"},
           {"type": "Punctuation"}, {"type": "Split", "pattern": {"Regex": "\\s+|a{1,2}"},
           "behavior": "MergedWithNext", "invert": true}]},
           "model": {"vocab": {"a": 0, "b": 1}, "merges": []}})"},
      {"\"type\"",    "\"ByteLevel\"", "\"Lowercase\"",
       "null",        "true",          "-1",
       "1e9",         "16777215",      "[]",
       "{}",          "\\\\p{L}",      "(a*)*",
       "[^",          "\"NFC\"",       "\"add_prefix_space\": true, ",
       "\xff",        "\\u0000",       "\"ignore_merges\": true, ",
       "\"Removed\"", "\"\""}};
}

Subject of_rank_file() {
  std::string ranks;
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    ranks += {kDigits[byte >> 2], kDigits[(byte & 3) << 4], '=', '=', ' '};
    ranks += std::to_string(byte) + "\n";
  }
  return {"rank_file",
          rank_file,
          {ranks, ranks + "YWE= 256\r\n\nYWFh 300\n"},
          {"\n", " ", "=", "YWE= 7\n", "-1", "16777216", "50256", "99999999999999999999", "\xff"}};
}

Subject of_join_token() {
  return {"join_token",
          join_token,
          {secure::to_text({.secret = std::string(32, 's'),
                            .pin = std::string(32, 'p'),
                            .expires = 1'800'000'000,
                            .address = "10.0.0.1:29400"}),
           std::string(64, 'f') + "10.0.0.1:29400", std::string(64, '\0')},
          {" ", "\n", "msjoin-", "-", "_", "=", "\0"s, "AAAA"}};
}

Subject of_identity_uri() {
  const std::string cluster = "megascale://0123456789abcdef0123456789abcdef/";
  return {"identity_uri",
          identity_uri,
          {cluster + "driver/a", cluster + "executor/node-7.rack_2", cluster + "operator/alice"},
          {"/", "://", "driver", "executor", "operator", "..", "%2f", "\0"s, "A", "0"}};
}

Subject of_member_certificate() {
  const secure::Key key = secure::Key::make();
  const auto authority = secure::make_authority(key, "fuzz", {.from = 0, .to = 2'000'000'000});
  const auto der_of = [](const std::string& pem) {
    const auto certificate = secure::openssl::read_certificate(pem);
    unsigned char* bytes = nullptr;
    const int count = i2d_X509(certificate.get(), &bytes);
    std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
    OPENSSL_free(bytes);
    return der;
  };
  std::vector<std::string> good;
  for (const auto role : {secure::Role::driver, secure::Role::executor})
    good.push_back(der_of(secure::issue(key, authority, key,
                                        {.cluster = authority.cluster, .role = role, .name = "a"},
                                        authority.validity)
                              .pem));
  return {"member_certificate",
          member_certificate,
          good,
          {"megascale://", "/executor/", "\x30\x82"s, "\x06\x03\x55\x1d\x11"s, "\x86"s, "\0"s,
           der_of(authority.pem).substr(0, 200)}};
}

Subject of_join_request() {
  const std::string request = secure::make_request(secure::Key::make());
  const auto fields = [](const secure::JoinRequest& one) {
    return secure::to_message(one).substr(secure::kJoinLengthNbytes);
  };
  const std::string secret(32, 's');
  return {"join_request",
          join_request,
          {fields({.secret = secret, .name = "node7", .request = request}),
           fields({.secret = secret, .name = "a", .request = "x"})},
          {"\x20\0\0\0"s, "\xff\xff\xff\xff"s, "/", "..", "\0"s, "\x30\x82"s}};
}

Subject of_http_request() {
  return {"http_request",
          http_request,
          {"GET\n/api/runs/2/timeline\n127.0.0.1:1\n\na=b; "
           "megascale_1=cookie\n\n\nranks=0-3,8\nstep=4\ncolumns=a,b",
           "GET\n/\nlocalhost:1\n\n\n\ntoken\n",
           "POST\n/api/runs/0/evict\n127.0.0.1:1\nhttp://127.0.0.1:1\nmegascale_1=cookie\n\n\n",
           "HEAD\n/api/runs/0\n127.0.0.1:1\nhttp://127.0.0.1:1\n\nBearer token\n\nranks=7"},
          {"megascale_1=", "Bearer ", "..", "/api/runs/", "-", ",", "4294967296", "\n", "%00"}};
}

Subject of_evict_request() {
  return {"evict_request",
          evict_request,
          {R"({"host": "node-3.rack", "why": "fan"})", R"({"host": "a"})"},
          {"\"host\"", "\"why\"", "\\n", "\\u0000", "[", "null", "../", "1e9"}};
}

Subject of_metrics_line() {
  return {"metrics_line",
          metrics_line,
          {R"({"step": 1, "loss": 2.5, "lr": null, "grad_norm": 1e3, "skipped": false})"},
          {"1e999", "null", "\"step\"", "-1", "18446744073709551615", "[", "{"}};
}

}  // namespace

std::vector<Subject> subjects() {
  return {of_config(),         of_config_override(),    of_jsonl(),        of_conversation(),
          of_preference(),     of_prompt_file(),        of_task_file(),    of_token_ids(),
          of_dataset_info(),   of_prepare_record(),     of_index(),        of_safetensors(),
          of_manifest(),       of_reference_scores(),   of_model_json(),   of_adapter_settings(),
          of_routes(),         of_recorded_loads(),     of_schedule(),     of_store_frames(),
          of_store_records(),  of_tokenizer_json(),     of_rank_file(),    of_join_token(),
          of_identity_uri(),   of_member_certificate(), of_join_request(), of_control_messages(),
          of_diagnose_texts(), of_http_request(),       of_metrics_line(), of_evict_request()};
}

}  // namespace megascale::fuzz
